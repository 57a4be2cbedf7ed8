import { type WebhookRecord, WebhookUpdate } from '#shared/domain/delivery/webhook.ts';
import { randomUuid } from '#shared/domain/ids.ts';
import type { Deps } from '#shared/runtime/deps.ts';
import type { FeedbackHome } from '#shared/store/deliveries/maker-feedback.ts';
import type { feedback } from './contract.ts';

type ForwardDeps = Deps<(typeof feedback)['operations']['createFeedback']['uses'][number]>;

const NAME = 'Feedback to maker A';
/** How often the webhook is looked for again after it was made. */
const TRIES = 3;

/** Makes the webhook of the maker, which only signs. Its secret is drawn: a system admin sets the one that the maker knows. */
const furnish = async (deps: ForwardDeps, url: string, before: FeedbackHome | null): Promise<void> => {
  const { store, sealSecret, random, now } = deps;
  const time = now();
  const id = randomUuid(random);
  const customerId = await store.limits.nextNumber('customers');
  const stamps = { createDate: time, updateDate: time };
  const sealed = () => sealSecret(Buffer.from(random(24)).toString('base64url'), id);
  const fields = WebhookUpdate.parse({ name: NAME, url, format: 'full', isCustomerHook: true, authMethod: 'none' });
  const webhook = {
    ...fields,
    ...stamps,
    id,
    customerId,
    token: await sealed(),
    secretKey: await sealed(),
    disabledReason: null,
    consecutiveFailures: 0,
  };
  const location = 'no home: feedback of users goes to the maker';
  const customer = { ...stamps, id: customerId, name: NAME, location, email: '', timeZone: 'UTC' };
  await store.makerFeedback.furnish(customer, webhook, before);
};

/** Gives the webhook of the maker another address, and switches it on: whatever switched it off was another receiver. */
const move = async ({ store, now }: ForwardDeps, webhook: WebhookRecord, url: string): Promise<void> => {
  const { secretKey: _, ...fields } = webhook;
  await store.webhooks.replace(webhook, WebhookUpdate.parse({ ...fields, url, isEnabled: true }), now());
};

/**
 * Gives the webhook that feedback for maker A goes to, with the address of the setting, and makes it when there is none.
 * Null: the stage forwards no feedback, or others changed the webhook all the time.
 */
export const makerWebhook = async (deps: ForwardDeps): Promise<WebhookRecord | null> => {
  const { store, settings } = deps;
  const url = settings.MAKER_A_FEEDBACK_URL;
  for (let attempt = 0; url !== '' && attempt < TRIES; attempt++) {
    const home = await store.makerFeedback.home();
    const webhook = home && (await store.webhooks.get(home.customerId, home.webhookId));
    if (webhook?.url === url) return webhook;
    await (webhook ? move(deps, webhook, url) : furnish(deps, url, home));
  }
  return null;
};
