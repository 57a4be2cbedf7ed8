import type { ComponentType } from 'react';
import type { User } from '#openapi';
import type { Needs } from './session/may.ts';
import type { Texts } from './texts/en.ts';

export type Page = {
  /** The path below the console's address; `:id` is a parameter that the page reads by useParams. */
  path: string;
  page: ComponentType;
  /** The permission that the user needs; without it the page is neither offered nor shown. */
  needs?: Needs;
  /** The entry in the navigation. Pages that are only reached from other pages have none. */
  entry?: { label: (texts: Texts, me: User) => string; icon: ComponentType<{ className: string }> };
};
