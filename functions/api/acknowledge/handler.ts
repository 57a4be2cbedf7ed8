import { acknowledgeHit as makeAcknowledgement, withdrawAcknowledgement } from '#shared/api/acknowledgements.ts';
import { situationText } from '#shared/api/messages/situation-text.ts';
import { type Call, Reply } from '#shared/api/operation.ts';
import { serve } from '#shared/api/serve.ts';
import { nameFrom } from '#shared/domain/rule/acknowledgement.ts';
import type { Acknowledgement } from '#shared/domain/rule/acknowledgement-view.ts';
import type { Deps } from '#shared/runtime/deps.ts';
import { viewOf } from './alarm-view.ts';
import { acknowledge } from './contract.ts';
import { hitOfLink, type LinkCall, type LinkedHit } from './linked-hit.ts';
import { headers, type PageLink, pageOf } from './page.ts';
import { textsOf } from './texts.ts';

type Operations = (typeof acknowledge)['operations'];
type PageDeps = Deps<Operations['getAcknowledgePage']['uses'][number]>;
type Acknowledging = Deps<Operations['acknowledgeByAddress']['uses'][number]>;
type Acting = Pick<Call<Operations['acknowledgeByAddress']>, 'actAs'>;

/** Audits what follows as done through the link, by the recipient or by somebody with the entered name. */
const actByLink = (
  { actAs }: Acting,
  { customerId, recipient: { userId, name } }: LinkedHit,
  enteredName = '',
): string => {
  const actor = nameFrom(userId === null ? enteredName : '') ?? nameFrom(name) ?? '?';
  actAs({ kind: 'link', id: userId === null ? null : String(userId), name: actor }, customerId);
  return actor;
};

/**
 * Acknowledges a hit, and returns it with its acknowledgement, which may be an earlier one. The link of a user always
 * acknowledges in the name of that user; any other uses the entered name, or else that of the recipient.
 */
const acknowledgeHit = async (call: LinkCall & Acting, enteredName: string, deps: Acknowledging) => {
  const linked = await hitOfLink(call, deps);
  const { hit, customerId, recipient } = linked;
  const name = actByLink(call, linked, enteredName);
  const by = { userId: recipient.userId, name, date: deps.now() };
  const result = await makeAcknowledgement(deps, { customerId, hitId: hit.id }, by);
  const { isNew, hit: acknowledged } = result ?? call.fail('address_unknown');
  return { linked: { ...linked, hit: acknowledged }, acknowledgement: acknowledged.acknowledgement, isNew };
};

/** Whether an acknowledgement is by the user to whom the link was sent. Nobody knows who holds any other link. */
const isByUser = (acknowledgement: Acknowledgement | undefined, { recipient: { userId } }: LinkedHit): boolean =>
  userId !== null && acknowledgement?.userId === userId;

type PageCall = { params: { address: string }; locale: string };
const page = async (
  linked: LinkedHit,
  { params, locale }: PageCall,
  { store, now }: Pick<PageDeps, 'store' | 'now'>,
  { isMine, ...shown }: { isMine: boolean } & Pick<PageLink, 'up' | 'wasHandedBack'>,
): Promise<Reply<Uint8Array>> => {
  const [situation, view] = await Promise.all([
    situationText(locale, linked.hit.situation),
    viewOf(store, linked, isMine),
  ]);
  const link = { address: params.address, isPersonal: linked.recipient.userId !== null, ...shown };
  return new Reply(pageOf(view, situation, link, { texts: textsOf(locale), now: now() }), { headers });
};

/** Returns the name entered in a submitted form. */
const nameIn = ({ body, isBase64Encoded }: Call<Operations['acknowledgeByPage']>['event']): string =>
  new URLSearchParams(Buffer.from(body ?? '', isBase64Encoded ? 'base64' : 'utf8').toString('utf8')).get('name') ?? '';

export const handler = serve(acknowledge, {
  acknowledgeByAddress: async (call, deps) => (await acknowledgeHit(call, call.body.name ?? '', deps)).acknowledgement,

  getAcknowledgePage: async (call, deps) => {
    const linked = await hitOfLink(call, deps);
    const isMine = isByUser(linked.hit.acknowledgement, linked);
    return page(linked, call, deps, { isMine, up: '', wasHandedBack: false });
  },

  acknowledgeByPage: async (call, deps) => {
    const { linked, acknowledgement, isNew } = await acknowledgeHit(call, nameIn(call.event), deps);
    const isMine = isNew || isByUser(acknowledgement, linked);
    return page(linked, call, deps, { isMine, up: '../', wasHandedBack: false });
  },

  withdrawByPage: async (call, deps) => {
    const linked = await hitOfLink(call, deps);
    const { hit, customerId, recipient } = linked;
    actByLink(call, linked);
    // Without a user, the page that has acknowledged the alarm is recognized by the time of the acknowledgement.
    const isAllowed = ({ userId, date }: Acknowledgement) => userId === recipient.userId && date === call.params.date;
    const result = await withdrawAcknowledgement(deps, { customerId, hitId: hit.id }, isAllowed);
    const wasHandedBack = result !== 'refused' && result !== 'closed';
    const current = wasHandedBack ? (result ?? call.fail('address_unknown')) : hit;
    return page({ ...linked, hit: current }, call, deps, {
      isMine: false,
      up: '../../',
      wasHandedBack,
    });
  },
});
