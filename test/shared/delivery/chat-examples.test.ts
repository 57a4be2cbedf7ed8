import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { ChatPayload } from '#shared/domain/formats/chat-payload.ts';
import { TeamsPayload } from '#shared/domain/formats/teams-payload.ts';

test('the chat examples in the receiver guide match their schemas', () => {
  const page = readFileSync(new URL('../../../shared/delivery/README.md', import.meta.url), 'utf8');
  const [chat, teams, ...others] = page
    .split('```json\n')
    .slice(1)
    .map((rest) => JSON.parse(rest.split('\n```')[0] ?? ''));
  expect(others).toEqual([]);
  expect([ChatPayload.safeParse(chat).error, TeamsPayload.safeParse(teams).error]).toEqual([undefined, undefined]);
});
