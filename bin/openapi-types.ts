import { mkdirSync, writeFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { groups } from '../functions/index.ts';
import { describeApi } from '../shared/api/openapi/describe.ts';
import { openApi } from '../shared/api/openapi/document.ts';
import { settingsFrom } from '../shared/env.ts';

// This command writes the TypeScript types of the OpenAPI document, for the client of the console.

// openapi-typescript needs the compiler API, which TypeScript 7 doesn't have.
registerHooks({ resolve: (name, context, next) => next(name === 'typescript' ? 'typescript-5' : name, context) });
const { default: typesOf, astToString } = await import('openapi-typescript');

const document = JSON.stringify(openApi(describeApi(groups), settingsFrom(process.env)));
const types = await typesOf(document, { rootTypes: true, rootTypesNoSchemaPrefix: true, exportType: true });
const folder = new URL('../.generated/', import.meta.url);
mkdirSync(folder, { recursive: true });
writeFileSync(new URL('openapi.d.ts', folder), astToString(types));
