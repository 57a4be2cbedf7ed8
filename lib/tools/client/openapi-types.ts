import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import typesOf, { astToString } from 'openapi-typescript';
import { groups } from '../../../functions/index.ts';
import { describeApi } from '../../../shared/api/openapi/describe.ts';
import { openApi } from '../../../shared/api/openapi/document.ts';
import type { Settings } from '../../../shared/env.ts';

/** Writes the TypeScript types of the OpenAPI document as `openapi.d.ts` into a folder. */
export const writeOpenApiTypes = async (folder: string, settings: Settings): Promise<void> => {
  const document = JSON.stringify(openApi(describeApi(groups), settings));
  const types = await typesOf(document, { rootTypes: true, rootTypesNoSchemaPrefix: true, exportType: true });
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'openapi.d.ts'), astToString(types));
};
