import { groups } from '../functions/index.ts';
import { describeApi } from '../shared/api/openapi/describe.ts';
import { openApi } from '../shared/api/openapi/document.ts';
import { settingsFrom } from '../shared/env.ts';

/** Prints the OpenAPI document: `npm run openapi --silent > openapi.json`. PUBLIC_URL names the server. */
console.log(JSON.stringify(openApi(describeApi(groups), settingsFrom(process.env)), null, 2));
