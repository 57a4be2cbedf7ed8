import { randomBytes } from 'node:crypto';
import type { Webhook, WebhookCreation } from '#openapi';
import type { Client } from '../client.ts';
import { listAll } from '../list.ts';
import { ok } from '../problem.ts';
import { type CommandIo, UsageError } from './command.ts';
import { type Profile, updateProfile } from './profiles.ts';

type Wanted = { profile: string; format: 'full' | 'custom1' | 'raw'; customerId: number; botId: number | null };

/** Returns the profile secret, which signs everything that `listen` receives. Creates one the first time. */
export const secretOf = async (io: CommandIo, name: string, { secret }: Profile): Promise<string> => {
  if (secret !== undefined) return secret;
  const generated = `whsec_${randomBytes(24).toString('base64')}`;
  await updateProfile(io, name, { secret: generated });
  return generated;
};

/** Finds an existing webhook. Throws a UsageError if it has a URL. */
export const existingWebhook = async (client: Client, webhookId: string): Promise<Webhook> => {
  const webhook = await ok(client.GET('/webhooks/{webhookId}', { params: { path: { webhookId } } }));
  if (webhook.url !== null)
    throw new UsageError(`the webhook ${webhookId} has a URL, so its deliveries cannot be fetched`);
  return webhook;
};

/** Finds the webhook an earlier run left behind for this machine and profile, or creates it. */
export const ownWebhook = async (
  client: Client,
  io: CommandIo,
  secretKey: string,
  wanted: Wanted,
): Promise<Webhook> => {
  const { botId, customerId, format, profile } = wanted;
  const name = `listen ${profile} on ${io.hostname}`.slice(0, 64);
  const fields: WebhookCreation = {
    name,
    url: null,
    format,
    isCustomerHook: botId === null,
    botId,
    secretKey,
    authMethod: 'bearer',
    retrySchedule: null,
    isEnabled: true,
    customerId,
    eventTypes: null,
    situations: null,
    sensorGroupId: null,
  };
  for await (const webhook of listAll(client, '/webhooks', { query: { customerId } }))
    if (webhook.name === name && webhook.url === null && webhook.botId === botId) {
      const params = { path: { webhookId: webhook.id } };
      return ok(client.PUT('/webhooks/{webhookId}', { params, body: { ...webhook, ...fields } }));
    }
  return ok(client.POST('/webhooks', { body: fields }));
};
