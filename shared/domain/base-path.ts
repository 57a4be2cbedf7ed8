/** The prefix of all API paths. */
export const BASE_PATH = '/api/v1';
