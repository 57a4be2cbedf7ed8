import { type WebhookRecord, WebhookUpdate } from '#shared/domain/delivery/webhook.ts';
import { randomUuid } from '#shared/domain/ids.ts';
import type { Deps } from '#shared/runtime/deps.ts';
import type { FeedbackWebhook } from '#shared/store/deliveries/maker-feedback.ts';
import type { feedback } from './contract.ts';

type ForwardDeps = Deps<(typeof feedback)['operations']['createFeedback']['uses'][number]>;

const NAME = 'Feedback to maker A';
/** The maximum number of times the webhook is read. It is read again after being created or changed. */
const MAX_ATTEMPTS = 3;

/**
 * Creates the maker webhook, which signs requests and has no other authentication. The secret is random until a system
 * admin sets the one the maker knows.
 */
const createWebhook = async (deps: ForwardDeps, url: string, before: FeedbackWebhook | null): Promise<void> => {
  const { store, encryptSecret, random, now } = deps;
  const time = now();
  const id = randomUuid(random);
  const customerId = await store.limits.nextNumber('customers');
  const stamps = { createDate: time, updateDate: time };
  const randomSecret = () => encryptSecret(Buffer.from(random(24)).toString('base64url'), id);
  const fields = WebhookUpdate.parse({ name: NAME, url, format: 'full', isCustomerHook: true, authMethod: 'none' });
  const webhook = {
    ...fields,
    ...stamps,
    id,
    customerId,
    token: await randomSecret(),
    secretKey: await randomSecret(),
    disabledReason: null,
    consecutiveFailures: 0,
  };
  const location = 'not a home: forwards feedback from users to the maker';
  const customer = { ...stamps, id: customerId, name: NAME, location, email: '', timeZone: 'UTC' };
  await store.makerFeedback.furnish(customer, webhook, before);
};

/** Changes the webhook URL. Also enables the webhook, because any failures came from the previous receiver. */
const setUrl = async ({ store, now }: ForwardDeps, webhook: WebhookRecord, url: string): Promise<void> => {
  const { secretKey: _, ...fields } = webhook;
  await store.webhooks.replace(webhook, WebhookUpdate.parse({ ...fields, url, isEnabled: true }), now());
};

/**
 * Returns the webhook for maker A feedback, with the configured URL. Creates the webhook if necessary. Returns null if
 * the stage does not forward feedback, or if other requests kept changing the webhook.
 */
export const makerWebhook = async (deps: ForwardDeps): Promise<WebhookRecord | null> => {
  const { store, settings } = deps;
  const url = settings.MAKER_A_FEEDBACK_URL;
  for (let attempt = 0; url !== '' && attempt < MAX_ATTEMPTS; attempt++) {
    const home = await store.makerFeedback.home();
    const webhook = home && (await store.webhooks.get(home.customerId, home.webhookId));
    if (webhook?.url === url) return webhook;
    await (webhook ? setUrl(deps, webhook, url) : createWebhook(deps, url, home));
  }
  return null;
};
