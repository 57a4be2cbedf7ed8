import type { Settings } from '../env.ts';
import { BASE_PATH } from './operation.ts';

/** What an OpenAPI document tells of the operations: the same wherever the service runs. */
export type Description = Readonly<Record<'tags' | 'paths' | 'webhooks' | 'components', unknown>>;

/** The OpenAPI 3.1 document of a service. */
export const openApi = (
  description: Description,
  about: Pick<Settings, 'SERVICE_NAME' | 'SERVICE_VERSION' | 'PUBLIC_URL'>,
): Record<string, unknown> => ({
  openapi: '3.1.0',
  info: {
    title: `${about.SERVICE_NAME} API`,
    version: about.SERVICE_VERSION,
    license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
  },
  servers: [{ url: about.PUBLIC_URL + BASE_PATH }],
  ...description,
});
