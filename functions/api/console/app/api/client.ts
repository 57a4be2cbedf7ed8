import type { paths } from 'openapi';
import createClient from 'openapi-fetch';
import { patient } from './patient.ts';

/** Where this console is, with a slash at its end; the API is one step above. So it works under any prefix. */
const folder = new URL('.', import.meta.url);
export const basePath = folder.pathname.slice(0, -1);
const apiUrl = new URL('..', folder).href.slice(0, -1);

/** A cookie that scripts may read: the value that shows the API that a call is no other site's. */
const cookie = (name: string): string =>
  document.cookie
    .split('; ')
    .find((one) => one.startsWith(`${name}=`))
    ?.slice(name.length + 1) ?? '';

/** False: nobody is logged in here, and the API need not be asked. True: perhaps somebody is. */
export const mayHaveSession = (): boolean => cookie('PSUSERID') !== '';

/** The API of this very commit: a path, a parameter or a field that it does not have does not compile. */
export const api = createClient<paths>({ baseUrl: apiUrl, fetch: patient((request) => fetch(request)) });

api.use({
  onRequest: ({ request }) => {
    if (request.method !== 'GET') request.headers.set('X-CSRF-Token', cookie('PSCSRF'));
    return request;
  },
});
