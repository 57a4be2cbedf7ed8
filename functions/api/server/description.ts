import { groups } from '#functions/index.ts';
import { describeApi } from '#shared/api/openapi/describe.ts';

/** The description of all operations for the OpenAPI document. A bundle contains it instead of the code that generates it. */
export const description = describeApi(groups);
