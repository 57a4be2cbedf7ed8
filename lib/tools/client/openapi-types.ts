import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import typesOf, { astToString } from 'openapi-typescript';
import { groups } from '#functions/index.ts';
import { describeApi } from '#shared/api/openapi/describe.ts';
import { openApi } from '#shared/api/openapi/document.ts';
import type { Settings } from '#shared/runtime/env.ts';

const FILE = 'openapi.d.ts';
const own = fileURLToPath(new URL('../../../.generated', import.meta.url));

const typesFor = async (settings: Settings, defaultNonNullable: boolean): Promise<string> => {
  const document = JSON.stringify(openApi(describeApi(groups), settings));
  const options = { rootTypes: true, rootTypesNoSchemaPrefix: true, exportType: true, defaultNonNullable };
  return astToString(await typesOf(document, options));
};

/**
 * Writes the OpenAPI document's types as `#openapi`, which the client imports. Fields with a default are required in
 * bodies here, so no console form can omit one.
 */
export const writeOwnTypes = async (settings: Settings): Promise<void> => {
  await mkdir(own, { recursive: true });
  await writeFile(join(own, FILE), await typesFor(settings, true));
};

/** Writes the same types into a package, except that fields with a default are optional in bodies. */
export const writeTypesTo = async (folder: string, settings: Settings): Promise<void> =>
  writeFile(join(folder, FILE), await typesFor(settings, false));
