/** Finding an account by its billing reference, the only name under which the payment provider knows it. */
export const billingIndexes = (): ReadonlyArray<string> => [
  `CREATE UNIQUE INDEX accounts_billing_reference ON accounts (billing_reference)
    WHERE billing_reference IS NOT NULL`,
]
