import { createPublication, type Publication } from '#shared/api/http/publication.ts';
import { openApi } from '#shared/api/openapi/document.ts';
import { description, schemas } from './description.ts';

type ServiceInfo = Parameters<typeof openApi>[1];
const documents = new WeakMap<ServiceInfo, Publication>();

/** Returns the OpenAPI document, built and compressed once per process. */
export const documentOf = (service: ServiceInfo): Publication => {
  const document = documents.get(service) ?? createPublication(JSON.stringify(openApi(description, service)));
  documents.set(service, document);
  return document;
};

const published = new Map<string, Publication>();

/** Returns a JSON Schema by name, compressed once per process. */
export const schemaOf = (name: string): Publication => {
  const schema = published.get(name) ?? createPublication(JSON.stringify(schemas[name]));
  published.set(name, schema);
  return schema;
};
