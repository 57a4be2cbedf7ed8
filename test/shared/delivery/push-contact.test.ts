import { expect, test } from 'vitest';
import { pushContact } from '#shared/delivery/targets/push-contact.ts';

const none = { PUSH_CONTACT: '', MAIL_SENDER: '', PUBLIC_URL: '' };

test.each([
  [{ PUSH_CONTACT: 'mailto:ops@example.org', MAIL_SENDER: 'cloud@example.org' }, 'mailto:ops@example.org'],
  [{ MAIL_SENDER: 'cloud@example.org', PUBLIC_URL: 'https://cloud.example.org' }, 'mailto:cloud@example.org'],
  [{ MAIL_SENDER: 'outbox', PUBLIC_URL: 'https://cloud.example.org' }, 'https://cloud.example.org'],
  [{ PUBLIC_URL: 'https://home.local.example.org' }, 'https://home.local.example.org'],
  [{ MAIL_SENDER: 'cloud@localhost', PUBLIC_URL: 'https://cloud.example.org:8443' }, 'https://cloud.example.org:8443'],
])('the push contact is the first public setting in %j', (settings, contact) => {
  expect(pushContact({ ...none, ...settings })).toBe(contact);
});

test.each([
  'http://127.0.0.1:3000',
  'http://cloud.example.org',
  'https://127.0.0.1',
  'https://[::1]',
  'https://192.168.1.5',
  'https://93.184.216.34',
  'https://localhost',
  'https://cloud',
  'https://cloud.local',
  'https://cloud.LAN.',
  'https://cloud.home.arpa',
  'https://cloud.internal',
  'nothing',
  '',
])('the push contact is never the address %j', (PUBLIC_URL) => {
  expect(pushContact({ ...none, PUBLIC_URL })).toBeNull();
});

test.each([
  'outbox',
  'cloud@localhost',
  'cloud@home.lan',
  'cloud@nas',
  'cloud@192.168.1.5',
  'a@b@example.org',
  'a@example.org@example.com',
  '@',
  '',
])('the push contact is never the sender %j', (MAIL_SENDER) => {
  expect(pushContact({ ...none, MAIL_SENDER })).toBeNull();
});
