import type { Page } from './routes.tsx';
import { later } from './ui/later.tsx';

const managers = ['manage_customers', 'manage_bots'] as const;

/** The pages for setting up and maintaining a service. Their code is loaded when one is opened. */
export const setupPages: readonly Page[] = [
  {
    path: '/groups',
    page: later(async () => (await import('./groups/groups.tsx')).GroupsPage),
    label: (texts) => texts.groups.title,
  },
  { path: '/groups/:groupId', page: later(async () => (await import('./groups/group.tsx')).GroupPage) },
  {
    path: '/rules',
    page: later(async () => (await import('./rules/rules.tsx')).RulesPage),
    label: (texts) => texts.rules.title,
  },
  { path: '/rules/:ruleId', page: later(async () => (await import('./rules/rule.tsx')).RulePage) },
  {
    path: '/bots',
    page: later(async () => (await import('./bots/bots.tsx')).BotsPage),
    needs: 'manage_bots',
    label: (texts) => texts.bots.title,
  },
  {
    path: '/webhooks',
    page: later(async () => (await import('./webhooks/webhooks.tsx')).WebhooksPage),
    needs: managers,
    label: (texts) => texts.webhooks.title,
  },
  {
    path: '/webhooks/new',
    page: later(async () => (await import('./webhooks/new-webhook.tsx')).NewWebhookPage),
    needs: managers,
  },
  {
    path: '/webhooks/:webhookId',
    page: later(async () => (await import('./webhooks/webhook.tsx')).WebhookPage),
    needs: managers,
  },
  {
    path: '/deliveries',
    page: later(async () => (await import('./deliveries/choose.tsx')).ChooseWebhookPage),
    needs: managers,
    label: (texts) => texts.deliveries.title,
  },
  {
    path: '/deliveries/:webhookId',
    page: later(async () => (await import('./deliveries/deliveries.tsx')).DeliveriesPage),
    needs: managers,
  },
  {
    path: '/deliveries/:webhookId/:deliveryId',
    page: later(async () => (await import('./deliveries/delivery.tsx')).DeliveryPage),
    needs: managers,
  },
  {
    path: '/replays/:webhookId/:replayId',
    page: later(async () => (await import('./deliveries/replay.tsx')).ReplayPage),
    needs: managers,
  },
  {
    path: '/users',
    page: later(async () => (await import('./admin/users.tsx')).UsersPage),
    needs: 'manage_users',
    label: (texts) => texts.admin.users,
  },
  {
    path: '/users/:userId',
    page: later(async () => (await import('./admin/user.tsx')).UserPage),
    needs: 'manage_users',
  },
  {
    path: '/customers',
    page: later(async () => (await import('./admin/customers.tsx')).CustomersPage),
    needs: 'system_admin',
    label: (texts) => texts.admin.customers,
  },
  {
    path: '/customers/:customerId',
    page: later(async () => (await import('./admin/customer.tsx')).CustomerPage),
    needs: 'system_admin',
  },
  {
    path: '/provisioning-keys',
    page: later(async () => (await import('./admin/keys.tsx')).KeysPage),
    needs: 'system_admin',
    label: (texts) => texts.admin.keys,
  },
  {
    path: '/firmwares',
    page: later(async () => (await import('./admin/firmwares.tsx')).FirmwaresPage),
    needs: 'system_admin',
    label: (texts) => texts.admin.firmwares,
  },
];
