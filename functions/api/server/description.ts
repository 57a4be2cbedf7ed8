import { describeApi } from '../../../shared/api/openapi/describe.ts';
import { groups } from '../../index.ts';

/** Of all operations, for the OpenAPI document. A bundle holds what this gives instead of what makes it. */
export const description = describeApi(groups);
