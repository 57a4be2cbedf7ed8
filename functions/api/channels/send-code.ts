import { hashSecret } from '#shared/auth/tokens.ts';
import { isAccepted, isFinal } from '#shared/delivery/targets/person.ts';
import { languageOf } from '#shared/domain/identity/language.ts';
import { limitOf } from '#shared/domain/identity/quota.ts';
import {
  CODE_MINUTES,
  CODES_PER_HOUR,
  codeHashInput,
  type KeptChannel,
  newChannelCode,
} from '#shared/domain/people/channel.ts';
import { SMS_CODES_PER_DAY, SMS_WINDOW_SECONDS, smsLimitOf } from '#shared/domain/people/sms-quota.ts';
import type { SetCall, SetDeps } from './channel-input.ts';
import { codeMessage } from './texts.ts';

const HOUR_SECONDS = 3_600;

/** Counts a code for both the user and the address, so neither can be flooded with codes. */
const countCode = async (call: SetCall, { store: { limits }, quotas, now }: SetDeps, { by, address }: KeptChannel) => {
  const { caller, fail } = call;
  const subjects = [`code:${caller.accountId}`, `code:${by}:${hashSecret(address.toLowerCase())}`];
  for (const subject of subjects) {
    const { count, seconds } = await limits.countFailure(subject, HOUR_SECONDS, now());
    if (count > CODES_PER_HOUR) return fail('rate_limited', { waitSeconds: seconds });
  }
  if (by !== 'sms') return;
  const ofUser = await limits.countFailure(`sms:code:user:${caller.accountId}`, SMS_WINDOW_SECONDS, now());
  if (ofUser.count > SMS_CODES_PER_DAY) return fail('rate_limited', { waitSeconds: ofUser.seconds });
  const { subject, limit } = smsLimitOf(caller.customerId, 'code', quotas);
  const count = await limits.countWithin(subject, limit, SMS_WINDOW_SECONDS, now());
  if (count === null) return fail('limit_reached', limitOf(quotas, 'smsCodesPerDay'));
};

/** Stores a channel and sends it a verification code. */
export const sendCode = async (call: SetCall, deps: SetDeps, channel: KeptChannel): Promise<void> => {
  const { caller, fail, refuse, locale } = call;
  const { store, now, random, person, settings } = deps;
  if (channel.by === 'push') return;
  await countCode(call, deps, channel);
  const code = newChannelCode(random(4));
  const proof = {
    hash: hashSecret(codeHashInput(caller.accountId, channel, code)),
    expires: now() + CODE_MINUTES * 60_000,
  };
  const ids = { customerId: caller.customerId, userId: caller.accountId };
  if (!(await store.channels.put(ids, channel, proof))) return fail('user_not_found');
  const language = languageOf(locale);
  const { title, text } = codeMessage[language]({ service: settings.SERVICE_NAME, code, minutes: CODE_MINUTES });
  const { by, address } = channel;
  // Email titles appear only in the subject, which a phone may cut off.
  const message = { title, text: by === 'email' ? `${title}\n\n${text}` : text, url: null, language };
  const outcome = await person({ by, address }, message);
  if (isFinal(outcome)) return refuse('address', 'channel_gone');
  if (!isAccepted(outcome)) return fail('unavailable', { waitSeconds: 30 });
};
