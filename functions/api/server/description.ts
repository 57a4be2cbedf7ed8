import { groups } from '#functions/index.ts';
import { describeApi } from '#shared/api/openapi/describe.ts';
import { publishedSchemas } from '#shared/api/openapi/published-schemas.ts';

/** All operations for the OpenAPI document. A bundle contains this description instead of its generator. */
export const description = describeApi(groups);
/** The JSON Schemas of messages and deliveries, by name. A bundle contains them instead of their generator. */
export const schemas = publishedSchemas(description);
