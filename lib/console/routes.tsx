import {
  AdjustmentsHorizontalIcon,
  BellAlertIcon,
  BuildingOffice2Icon,
  CalendarDaysIcon,
  ChartBarIcon,
  ChatBubbleLeftRightIcon,
  ClipboardDocumentCheckIcon,
  ClockIcon,
  CpuChipIcon,
  IdentificationIcon,
  KeyIcon,
  LinkIcon,
  MapIcon,
  PaperAirplaneIcon,
  RectangleGroupIcon,
  SignalIcon,
  Squares2X2Icon,
  UsersIcon,
} from '@heroicons/react/24/outline';
import type { ComponentType } from 'react';
import type { User } from '#openapi';
import { OverviewPage } from './overview/overview.tsx';
import { deliveryViewers, importers, managers, type Needs } from './session/permissions.ts';
import type { Texts } from './texts/en.ts';
import { lazyPage } from './ui/lazy-page.tsx';

type Page = {
  /** The path below the console URL. The page reads parameters such as `:id` with useParams. */
  path: string;
  page: ComponentType;
  /** The required permission. Without it, the page is neither offered nor shown. */
  needs?: Needs;
  /** Whether a display on a wall may show the page. */
  display?: true;
  /** The navigation entry. Pages reached only from other pages have none. */
  entry?: Entry;
};

/** The navigation groups, in order. */
export const navigationGroups = ['now', 'rooms', 'people', 'integrations', 'system'] as const;
export type NavigationGroup = (typeof navigationGroups)[number];

type Entry = {
  label: (texts: Texts, me: User) => string;
  icon: ComponentType<{ className: string }>;
  group: NavigationGroup;
  /** The position among the tabs on phones, where the other entries are behind "More". */
  tab?: number;
};

/**
 * All pages for logged-in users, in navigation order. To add a page, add a line here, texts in texts/en.ts and
 * texts/de.ts, and a journey in test/browser.
 */
export const pages: readonly Page[] = [
  {
    path: '/',
    page: OverviewPage,
    display: true,
    entry: { label: (texts) => texts.overview.title, icon: Squares2X2Icon, group: 'now', tab: 1 },
  },
  {
    path: '/alarms',
    display: true,
    page: lazyPage('AlarmsPage'),
    entry: { label: (texts) => texts.overview.alarms, icon: BellAlertIcon, group: 'now' },
  },
  {
    path: '/handover',
    display: true,
    page: lazyPage('HandoverPage'),
    entry: { label: (texts) => texts.handover, icon: ClipboardDocumentCheckIcon, group: 'now', tab: 3 },
  },
  {
    path: '/sensors',
    display: true,
    page: lazyPage('SensorsPage'),
    entry: { label: (texts) => texts.sensors.title, icon: SignalIcon, group: 'rooms', tab: 2 },
  },
  { path: '/alarms/:sensorId', page: lazyPage('AlarmPage'), display: true },
  { path: '/sensors/:sensorId', page: lazyPage('SensorPage'), display: true },
  {
    path: '/floor',
    display: true,
    page: lazyPage('FloorPage'),
    entry: { label: (texts) => texts.floorPlan, icon: MapIcon, group: 'rooms' },
  },
  {
    path: '/groups',
    display: true,
    page: lazyPage('GroupsPage'),
    entry: { label: (texts) => texts.groups.title, icon: RectangleGroupIcon, group: 'rooms' },
  },
  { path: '/groups/:groupId', page: lazyPage('GroupPage'), display: true },
  {
    path: '/reports',
    page: lazyPage('ReportsPage'),
    entry: { label: (texts) => texts.reports, icon: ChartBarIcon, group: 'rooms' },
  },
  { path: '/reports/audit', page: lazyPage('AuditReportPage') },
  {
    path: '/roster',
    page: lazyPage('RosterPage'),
    entry: { label: (texts) => texts.roster, icon: CalendarDaysIcon, group: 'people' },
  },
  {
    path: '/rules',
    page: lazyPage('RulesPage'),
    entry: { label: (texts) => texts.rules.title, icon: AdjustmentsHorizontalIcon, group: 'people' },
  },
  { path: '/rules/:ruleId', page: lazyPage('RulePage') },
  {
    path: '/webhooks',
    page: lazyPage('WebhooksPage'),
    needs: managers,
    entry: { label: (texts) => texts.titles.webhooks, icon: LinkIcon, group: 'integrations' },
  },
  {
    path: '/webhooks/new',
    page: lazyPage('NewWebhookPage'),
    needs: managers,
  },
  {
    path: '/webhooks/:webhookId',
    page: lazyPage('WebhookPage'),
    needs: managers,
  },
  {
    path: '/bots',
    page: lazyPage('BotsPage'),
    needs: 'manage_bots',
    entry: { label: (texts) => texts.bots.title, icon: ChatBubbleLeftRightIcon, group: 'integrations' },
  },
  {
    path: '/deliveries',
    page: lazyPage('AllDeliveriesPage'),
    needs: deliveryViewers,
    entry: { label: (texts) => texts.titles.deliveries, icon: PaperAirplaneIcon, group: 'integrations' },
  },
  {
    path: '/deliveries/:webhookId',
    page: lazyPage('DeliveriesPage'),
    needs: managers,
  },
  {
    path: '/deliveries/people/:personDeliveryId',
    page: lazyPage('PersonDeliveryPage'),
    needs: 'manage_rules',
  },
  {
    path: '/deliveries/:webhookId/:deliveryId',
    page: lazyPage('DeliveryPage'),
    needs: managers,
  },
  {
    path: '/replays/:webhookId/:replayId',
    page: lazyPage('ReplayPage'),
    needs: managers,
  },
  {
    path: '/users',
    page: lazyPage('UsersPage'),
    needs: 'manage_users',
    entry: { label: (texts) => texts.titles.users, icon: UsersIcon, group: 'people' },
  },
  {
    path: '/users/:userId',
    page: lazyPage('UserPage'),
    needs: 'manage_users',
  },
  { path: '/imports', page: lazyPage('ImportsPage'), needs: importers },
  {
    path: '/customers',
    page: lazyPage('CustomersPage'),
    needs: 'manage_customers',
    entry: {
      label: (texts, { isAdmin }) => (isAdmin ? texts.titles.customers : texts.careHome),
      icon: BuildingOffice2Icon,
      group: 'system',
    },
  },
  {
    path: '/customers/:customerId',
    page: lazyPage('CustomerPage'),
    needs: 'system_admin',
  },
  {
    path: '/personal-data',
    page: lazyPage('PersonalDataPage'),
    needs: 'manage_customers',
    entry: { label: (texts) => texts.personalData, icon: IdentificationIcon, group: 'system' },
  },
  {
    path: '/audit',
    page: lazyPage('AuditPage'),
    needs: 'manage_users',
    entry: { label: (texts) => texts.changes, icon: ClockIcon, group: 'system' },
  },
  {
    path: '/provisioning-keys',
    page: lazyPage('KeysPage'),
    needs: 'system_admin',
    entry: { label: (texts) => texts.titles.provisioningKeys, icon: KeyIcon, group: 'system' },
  },
  {
    path: '/firmwares',
    page: lazyPage('FirmwaresPage'),
    needs: 'system_admin',
    entry: { label: (texts) => texts.titles.firmwares, icon: CpuChipIcon, group: 'system' },
  },
  { path: '/account', page: lazyPage('ProfilePage') },
  { path: '/account/channels', page: lazyPage('ChannelsPage') },
];
