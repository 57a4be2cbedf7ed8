import { isIP } from 'node:net';
import { hostOf } from '../own-endpoints.ts';

type ContactSettings = { PUSH_CONTACT: string; MAIL_SENDER: string; PUBLIC_URL: string };

/** Domains that exist only in private networks, documents and tests (RFC 2606, 6761, 6762, 8375). */
const PRIVATE_DOMAIN = /(?:^|\.)(?:arpa|corp|example|home|internal|intranet|invalid|lan|local|localhost|private|test)$/;

const isPublicName = (host: string): boolean => {
  const name = host.toLowerCase().replace(/\.$/, '');
  return isIP(name) === 0 && name.includes('.') && !PRIVATE_DOMAIN.test(name);
};

const publicUrl = (text: string): string | null => {
  const url = URL.parse(text);
  return url?.protocol === 'https:' && isPublicName(hostOf(url)) ? text : null;
};

const publicMail = (address: string): string | null => {
  const [, domain = ''] = /^[^@]+@([^@]+)$/.exec(address) ?? [];
  return isPublicName(domain) ? `mailto:${address}` : null;
};

/**
 * Returns the stage contact for push service operators (`sub` in RFC 8292). Null if the stage has no contact they
 * accept: Apple responds with 403 BadJwtToken to names it cannot resolve.
 */
export const pushContact = ({ PUSH_CONTACT, MAIL_SENDER, PUBLIC_URL }: ContactSettings): string | null =>
  PUSH_CONTACT || (publicMail(MAIL_SENDER) ?? publicUrl(PUBLIC_URL));
