/** The address of DynamoDB Local, or of another engine that speaks its protocol; null: there is none. */
export const address = process.env.DYNAMODB_LOCAL_URL || null;
