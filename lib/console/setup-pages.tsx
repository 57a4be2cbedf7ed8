import {
  BellAlertIcon,
  BuildingOffice2Icon,
  ChatBubbleLeftRightIcon,
  ClipboardDocumentListIcon,
  CpuChipIcon,
  IdentificationIcon,
  KeyIcon,
  LinkIcon,
  PaperAirplaneIcon,
  RectangleGroupIcon,
  UsersIcon,
} from '@heroicons/react/24/outline';
import type { Page } from './page.ts';
import { deliveryManagers, managers } from './session/may.ts';
import { later } from './ui/later.tsx';

/** The pages for setting up and maintaining a service. Their code is loaded when one is opened. */
export const setupPages: readonly Page[] = [
  {
    path: '/groups',
    page: later('GroupsPage'),
    entry: { label: (texts) => texts.groups.title, icon: RectangleGroupIcon },
  },
  { path: '/groups/:groupId', page: later('GroupPage') },
  {
    path: '/rules',
    page: later('RulesPage'),
    entry: { label: (texts) => texts.rules.title, icon: BellAlertIcon },
  },
  { path: '/rules/:ruleId', page: later('RulePage') },
  {
    path: '/bots',
    page: later('BotsPage'),
    needs: 'manage_bots',
    entry: { label: (texts) => texts.bots.title, icon: ChatBubbleLeftRightIcon },
  },
  {
    path: '/webhooks',
    page: later('WebhooksPage'),
    needs: managers,
    entry: { label: (texts) => texts.webhooks.title, icon: LinkIcon },
  },
  {
    path: '/webhooks/new',
    page: later('NewWebhookPage'),
    needs: managers,
  },
  {
    path: '/webhooks/:webhookId',
    page: later('WebhookPage'),
    needs: managers,
  },
  {
    path: '/deliveries',
    page: later('AllDeliveriesPage'),
    needs: deliveryManagers,
    entry: { label: (texts) => texts.deliveries.title, icon: PaperAirplaneIcon },
  },
  {
    path: '/deliveries/:webhookId',
    page: later('DeliveriesPage'),
    needs: managers,
  },
  {
    path: '/deliveries/people/:personDeliveryId',
    page: later('PersonDeliveryPage'),
    needs: 'manage_rules',
  },
  {
    path: '/deliveries/:webhookId/:deliveryId',
    page: later('DeliveryPage'),
    needs: managers,
  },
  {
    path: '/replays/:webhookId/:replayId',
    page: later('ReplayPage'),
    needs: managers,
  },
  {
    path: '/users',
    page: later('UsersPage'),
    needs: 'manage_users',
    entry: { label: (texts) => texts.admin.users, icon: UsersIcon },
  },
  {
    path: '/users/:userId',
    page: later('UserPage'),
    needs: 'manage_users',
  },
  {
    path: '/audit',
    page: later('AuditPage'),
    needs: 'manage_users',
    entry: { label: (texts) => texts.changes, icon: ClipboardDocumentListIcon },
  },
  {
    path: '/personal-data',
    page: later('PersonalDataPage'),
    needs: 'manage_customers',
    entry: { label: (texts) => texts.personalData, icon: IdentificationIcon },
  },
  {
    path: '/customers',
    page: later('CustomersPage'),
    needs: 'manage_customers',
    entry: {
      label: (texts, { isAdmin }) => (isAdmin ? texts.admin.customers : texts.customer),
      icon: BuildingOffice2Icon,
    },
  },
  {
    path: '/customers/:customerId',
    page: later('CustomerPage'),
    needs: 'system_admin',
  },
  {
    path: '/provisioning-keys',
    page: later('KeysPage'),
    needs: 'system_admin',
    entry: { label: (texts) => texts.admin.keys, icon: KeyIcon },
  },
  {
    path: '/firmwares',
    page: later('FirmwaresPage'),
    needs: 'system_admin',
    entry: { label: (texts) => texts.admin.firmwares, icon: CpuChipIcon },
  },
];
