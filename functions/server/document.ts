import { openApi } from '../../shared/api/document.ts';
import { type Publication, publicationOf } from '../../shared/api/publication.ts';
import type { Settings } from '../../shared/env.ts';
import { description } from './description.ts';

const made = new WeakMap<Settings, Publication>();

/** The OpenAPI document of a service, written and packed once in a process. */
export const documentOf = (settings: Settings): Publication => {
  const document = made.get(settings) ?? publicationOf(JSON.stringify(openApi(description, settings)));
  made.set(settings, document);
  return document;
};
