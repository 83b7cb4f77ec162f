/** Finding an account by what it pays under: the payment provider knows no other name for it. */
export const billingIndexes = (): ReadonlyArray<string> => [
  `CREATE UNIQUE INDEX accounts_billing_reference ON accounts (billing_reference)
    WHERE billing_reference IS NOT NULL`,
]
