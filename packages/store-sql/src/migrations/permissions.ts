/** What a key may do (docs/decisions/0065). Null: the default of its scope, which is what every earlier key may do. */
export const permissionColumn = (): ReadonlyArray<string> => [
  `ALTER TABLE api_keys ADD COLUMN permissions TEXT`,
]
