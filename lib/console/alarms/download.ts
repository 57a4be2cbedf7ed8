import { bodyOf } from '#lib/client/problem.ts';
import { api } from '../api/client.ts';
import { unreadAfter } from '../api/pages.ts';
import { MAX_PER_PAGE } from '../overview/watch-queries.ts';
import type { AlarmQuery } from './queries.ts';

/** Reads all alarms as CSV. Every part has a header row; only the first header row is kept. */
const readCsv = async (customerId: number, query: AlarmQuery): Promise<string> => {
  let text = '';
  for (let after: string | null = ''; after !== null; ) {
    const params = { path: { customerId }, query: { ...query, perPage: MAX_PER_PAGE, ...(after !== '' && { after }) } };
    const answer = await api.GET('/customers/{customerId}/alarms', {
      params,
      headers: { Accept: 'text/csv' },
      parseAs: 'text',
    });
    const part: string = bodyOf(answer);
    text += text === '' ? part : part.slice(part.indexOf('\n') + 1);
    after = unreadAfter(answer.response.headers.get('Link'));
  }
  return text;
};

/** Downloads alarms as a file. */
export const downloadAlarms = async (customerId: number, query: AlarmQuery, name: string): Promise<void> => {
  const csv = await readCsv(customerId, query);
  // Reading the response as text strips the byte order mark, which Excel needs to recognize UTF-8.
  const url = URL.createObjectURL(new Blob(['\ufeff', csv], { type: 'text/csv' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
};
