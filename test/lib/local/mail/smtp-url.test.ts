import { expect, test } from 'vitest';
import { readSmtpUrl } from '#lib/local/mail/smtp-url.ts';

test.each([
  ['smtp://mail.example.org', { host: 'mail.example.org', port: 587, encryption: 'starttls' }],
  ['smtp://mail.example.org:25?tls=none', { host: 'mail.example.org', port: 25, encryption: 'none' }],
  ['smtps://mail.example.org', { host: 'mail.example.org', port: 465, encryption: 'tls' }],
  ['smtps://127.0.0.1', { host: '127.0.0.1', port: 465, encryption: 'tls' }],
  ['smtp://localhost:1025/', { host: 'localhost', port: 1_025, encryption: 'offered' }],
  ['smtp://127.0.0.2', { host: '127.0.0.2', port: 587, encryption: 'offered' }],
  ['smtp://[::1]', { host: '::1', port: 587, encryption: 'offered' }],
  ['smtp://127.example.org', { host: '127.example.org', port: 587, encryption: 'starttls' }],
  ['smtp://10.0.0.5', { host: '10.0.0.5', port: 587, encryption: 'starttls' }],
  ['smtp://a%40b:c%3Ad@mail.example.org', { host: 'mail.example.org', user: 'a@b', password: 'c:d' }],
])('the mail server URL %s is valid', (url, server) => {
  expect(readSmtpUrl(url)).toMatchObject(server);
});
