/** The path that all paths of the API start with. */
export const BASE_PATH = '/api/v1';
