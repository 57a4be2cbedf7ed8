/** The URL of DynamoDB Local, or of another engine with its API; null if there is none. */
export const address = process.env.DYNAMODB_LOCAL_URL || null;
