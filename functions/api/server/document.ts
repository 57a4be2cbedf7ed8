import { type Publication, publicationOf } from '#shared/api/http/publication.ts';
import { openApi } from '#shared/api/openapi/document.ts';
import { description } from './description.ts';

type About = Parameters<typeof openApi>[1];
const made = new WeakMap<About, Publication>();

/** Gives the OpenAPI document of a service. It is made and compressed once in a process. */
export const documentOf = (about: About): Publication => {
  const document = made.get(about) ?? publicationOf(JSON.stringify(openApi(description, about)));
  made.set(about, document);
  return document;
};
