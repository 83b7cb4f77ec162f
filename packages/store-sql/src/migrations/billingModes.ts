/** The billing mode with which the service last ran. The table has one row. */
export const billingModeTable: ReadonlyArray<string> = [
  `CREATE TABLE billing_modes (
    id BIGINT PRIMARY KEY,
    mode TEXT NOT NULL
  )`,
]
