import { groups } from '#functions/index.ts';
import { describeApi } from '#shared/api/openapi/describe.ts';

/**
 * Describes all operations for the OpenAPI document. A bundle contains this description and not the code that makes it.
 */
export const description = describeApi(groups);
