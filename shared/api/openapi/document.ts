import { BASE_PATH } from '#shared/domain/base-path.ts';
import type { Settings } from '#shared/runtime/env.ts';

type Json = Readonly<Record<string, unknown>>;

/** The part of an OpenAPI document that does not depend on where the service runs. */
export type ApiDescription = Readonly<Record<'tags' | 'webhooks' | 'components', unknown>> & {
  /** Operations by path, then by method. */
  paths: Readonly<Record<string, Json>>;
  /** The ids of the device API operations, which may have a separate URL. */
  ofDevices: readonly string[];
};

/** Conventions that apply to all operations but that schemas cannot express. */
const conventions = [
  "To begin, log in (`POST /users/login`), send the response's `Token` header as a bearer token, and list the " +
    'sensors (`GET /sensors`).',
  'Write integers with digits only: `29.0`, `1e3` and numbers beyond 2^53-1 are rejected with 400.',
  'Strings must not contain control characters, line separators (U+2028, U+2029), characters that embed, override or ' +
    'isolate a direction (U+202A to U+202E, U+2066 to U+2069), lone surrogates, U+FFFE or U+FFFF. Lengths are counted ' +
    'in code points.',
  'Unknown and read-only fields in a request body are ignored.',
  'Objects, and lists unless stated otherwise, always reflect your own last write.',
].join('\n\n');

const serverAt = (url: string) => [{ url: url + BASE_PATH }];

/** Adds the device server to the operations called by devices. */
const withDeviceServer = ({ paths, ofDevices }: ApiDescription, url: string): Json =>
  Object.fromEntries(
    Object.entries(paths).map(([path, methods]) => [
      path,
      Object.fromEntries(
        Object.entries(methods).map(([method, operation]) => {
          const { operationId } = operation as { operationId: string };
          const servers = ofDevices.includes(operationId) && { servers: serverAt(url) };
          return [method, { ...(operation as Json), ...servers }];
        }),
      ),
    ]),
  );

/** Returns the OpenAPI 3.1 document. */
export const openApi = (
  description: ApiDescription,
  about: Pick<Settings, 'SERVICE_NAME' | 'SERVICE_VERSION' | 'PUBLIC_URL' | 'DEVICE_URL'>,
): Record<string, unknown> => {
  const { ofDevices: _, paths, ...others } = description;
  const hasDeviceApi = about.DEVICE_URL !== '' && about.DEVICE_URL !== about.PUBLIC_URL;
  return {
    openapi: '3.1.0',
    info: {
      title: `${about.SERVICE_NAME} API`,
      version: about.SERVICE_VERSION,
      description: conventions,
      contact: { name: about.SERVICE_NAME, ...(about.PUBLIC_URL && { url: about.PUBLIC_URL }) },
      license: { name: 'Apache-2.0', url: 'https://www.apache.org/licenses/LICENSE-2.0' },
    },
    servers: serverAt(about.PUBLIC_URL),
    paths: hasDeviceApi ? withDeviceServer(description, about.DEVICE_URL) : paths,
    ...others,
  };
};
