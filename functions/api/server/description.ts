import { groups } from '#functions/index.ts';
import { describeApi } from '#shared/api/openapi/describe.ts';

/** All operations for the OpenAPI document. A bundle contains this description instead of its generator. */
export const description = describeApi(groups);
