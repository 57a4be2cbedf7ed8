import { ChannelsPage } from './account/channels.tsx';
import { ProfilePage } from './account/profile.tsx';
import { OtpFirstPage } from './account/second-factor.tsx';
import { CustomerPage } from './admin/customer.tsx';
import { CustomersPage } from './admin/customers.tsx';
import { UserPage } from './admin/edit-user.tsx';
import { FirmwaresPage } from './admin/firmwares.tsx';
import { KeysPage } from './admin/keys.tsx';
import { UsersPage } from './admin/users.tsx';
import { AlarmsPage } from './alarms/alarms.tsx';
import { AuditPage } from './audit/audit.tsx';
import { BotsPage } from './bots/bots.tsx';
import { AllDeliveriesPage } from './deliveries/all-deliveries.tsx';
import { DeliveriesPage } from './deliveries/deliveries.tsx';
import { DeliveryPage, PersonDeliveryPage } from './deliveries/delivery.tsx';
import { ReplayPage } from './deliveries/replay.tsx';
import { FloorPage } from './floor/floor.tsx';
import { GroupPage } from './groups/group.tsx';
import { GroupsPage } from './groups/groups.tsx';
import { HandoverPage } from './handover/handover.tsx';
import { ImportsPage } from './imports/imports.tsx';
import { AlarmPage } from './overview/alarm-page.tsx';
import { PersonalDataPage } from './personal-data/personal-data.tsx';
import { AuditReportPage } from './reports/audit-report.tsx';
import { ReportsPage } from './reports/reports.tsx';
import { RosterPage } from './roster/roster.tsx';
import { RulePage } from './rules/rule.tsx';
import { RulesPage } from './rules/rules.tsx';
import { SearchDialog } from './search/search-dialog.tsx';
import { SensorPage } from './sensors/sensor.tsx';
import { SensorsPage } from './sensors/sensors.tsx';
import { OidcPage } from './session/oidc-page.tsx';
import { NewWebhookPage } from './webhooks/new-webhook.tsx';
import { WebhookPage } from './webhooks/webhook.tsx';
import { WebhooksPage } from './webhooks/webhooks.tsx';

/** The search dialog. Its code is loaded in the same file as the pages. */
export { SearchDialog };

/**
 * The pages whose code is loaded when one of them is first opened. They are bundled in a single file, because every
 * additional file would split the shared code into more files and so take more requests.
 */
export const lazyPages = {
  AlarmPage,
  AlarmsPage,
  HandoverPage,
  AuditReportPage,
  ProfilePage,
  CustomerPage,
  CustomersPage,
  FirmwaresPage,
  KeysPage,
  UserPage,
  UsersPage,
  BotsPage,
  AllDeliveriesPage,
  DeliveriesPage,
  DeliveryPage,
  PersonDeliveryPage,
  ReplayPage,
  FloorPage,
  GroupPage,
  GroupsPage,
  ImportsPage,
  RulePage,
  RulesPage,
  AuditPage,
  OidcPage,
  OtpFirstPage,
  ChannelsPage,
  PersonalDataPage,
  ReportsPage,
  RosterPage,
  SensorPage,
  SensorsPage,
  NewWebhookPage,
  WebhookPage,
  WebhooksPage,
};
