import {
  BellAlertIcon,
  BuildingOffice2Icon,
  ChartBarIcon,
  ChatBubbleLeftRightIcon,
  ClipboardDocumentListIcon,
  CpuChipIcon,
  HomeIcon,
  IdentificationIcon,
  KeyIcon,
  LinkIcon,
  PaperAirplaneIcon,
  RectangleGroupIcon,
  SignalIcon,
  UsersIcon,
} from '@heroicons/react/24/outline';
import type { ComponentType } from 'react';
import type { User } from '#openapi';
import { OverviewPage } from './overview/overview.tsx';
import { SensorsPage } from './sensors/sensors.tsx';
import { deliveryManagers, managers, type Needs } from './session/may.ts';
import type { Texts } from './texts/en.ts';
import { later } from './ui/later.tsx';

type Page = {
  /** The path below the console's address; `:id` is a parameter that the page reads by useParams. */
  path: string;
  page: ComponentType;
  /** The permission that the user needs; without it the page is neither offered nor shown. */
  needs?: Needs;
  /** The entry in the navigation. Pages that are only reached from other pages have none. */
  entry?: { label: (texts: Texts, me: User) => string; icon: ComponentType<{ className: string }> };
};

/**
 * Every page for users who are logged in, in the order of the navigation. To add a page, add a line here, its texts
 * in texts/en.ts and texts/de.ts, and a journey in test/browser.
 */
export const pages: readonly Page[] = [
  { path: '/', page: OverviewPage, entry: { label: (texts) => texts.overview.title, icon: HomeIcon } },
  { path: '/sensors', page: SensorsPage, entry: { label: (texts) => texts.sensors.title, icon: SignalIcon } },
  { path: '/sensors/:sensorId', page: later('SensorPage') },
  {
    path: '/reports',
    page: later('ReportsPage'),
    entry: { label: (texts) => texts.reports, icon: ChartBarIcon },
  },
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
  { path: '/account', page: later('ProfilePage') },
  { path: '/account/channels', page: later('ChannelsPage') },
];
