import type { Settings } from '../env.ts';
import { BASE_PATH } from './operation.ts';

/** What an OpenAPI document tells of the operations: the same wherever the service runs. */
export type Description = Readonly<Record<'tags' | 'paths' | 'webhooks' | 'components', unknown>>;

/** What holds for all operations, and what no schema can say. */
const conventions = [
  'Integers are written with digits alone: `29.0` and `1e3` are refused with 400, and so is what is beyond 2^53-1.',
  'Texts have no C0 control characters, lone surrogates, U+FFFE or U+FFFF; their lengths count code points.',
  'Fields of a body that are unknown, or only in answers, are ignored.',
  'An object, and every list that does not say otherwise, shows what the last write of its reader said.',
].join('\n\n');

/** The OpenAPI 3.1 document of a service. */
export const openApi = (
  description: Description,
  about: Pick<Settings, 'SERVICE_NAME' | 'SERVICE_VERSION' | 'PUBLIC_URL'>,
): Record<string, unknown> => ({
  openapi: '3.1.0',
  info: {
    title: `${about.SERVICE_NAME} API`,
    version: about.SERVICE_VERSION,
    description: conventions,
    license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
  },
  servers: [{ url: about.PUBLIC_URL + BASE_PATH }],
  ...description,
});
