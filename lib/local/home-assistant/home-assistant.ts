import { asText } from '#shared/domain/formats/plain-text.ts';
import type { Log } from '#shared/observability/log.ts';
import { composeDeps, type Runtime } from '#shared/runtime/deps.ts';
import type { Clock } from '../clock.ts';
import type { Prometheus } from '../http/prometheus.ts';
import type { AroundInvocation } from '../lambda/load-handler.ts';
import { observedTable } from './changes.ts';
import { customerToShow } from './home.ts';
import { acceptedCall, createRates } from './rates.ts';
import type { HomeAssistantSettings } from './settings.ts';
import { type ShownCustomer, showCustomer } from './shown-customer.ts';

/** How often (ms) this host looks for a customer to show. */
const CUSTOMER_MS = 60_000;

type Host = { clock: Clock; log: Log; around: AroundInvocation | undefined };
type Found = Awaited<ReturnType<typeof customerToShow>>;

/** Returns the line about what Home Assistant shows. */
const lineAbout = ({ customer, total }: Found, { customerId, broker }: HomeAssistantSettings): string => {
  const url = `${broker.isEncrypted ? 'mqtts' : 'mqtt'}://${broker.host}:${broker.port}`;
  if (customer)
    return `Home Assistant: shows the sensors of ${asText(customer.name)} (customer ${customer.id}), through ${url}`;
  if (customerId !== null) return `warning: Home Assistant shows nothing, because there is no customer ${customerId}`;
  return total === 0
    ? 'Home Assistant: shows nothing yet, because there is no customer'
    : 'warning: Home Assistant shows nothing, because there are several customers: set HOME_ASSISTANT_CUSTOMER_ID';
};

/**
 * Shows a customer's sensors in Home Assistant through MQTT discovery. This only mirrors states: nothing waits for it,
 * and no one is notified. Unlike deliveries, the mirror does not wait for the disk. A power loss may undo what was just
 * shown, but it also ends this host. The last will then makes everything unavailable, and the next start shows what is
 * on the disk.
 */
export const createHomeAssistant = (
  settings: HomeAssistantSettings,
  { clock, log, around = (_, invocation) => invocation() }: Host,
) => {
  const rates = createRates(clock.now);
  let customerId: number | null = null;
  let shown: ShownCustomer | null = null;
  let found: Found = { customer: null, total: 0 };
  let look = (): void => {};
  let cancelLook = () => {};

  const aroundWithRates: AroundInvocation = async (functionName, invocation, event) => {
    const result = await around(functionName, invocation, event);
    const call = shown && acceptedCall(functionName, event, result);
    if (call && shown?.mirror.has(call.sensorId) && rates.read(call)) shown.mirror.showRates(call.sensorId);
    return result;
  };
  return {
    around: aroundWithRates,
    /** Returns the runtime with a table that reports changes. */
    observe: (runtime: Runtime): Runtime => ({
      ...runtime,
      table: observedTable(
        runtime.table,
        () => customerId,
        (change) => (customerId === null ? look() : shown?.mirror.onChange(change)),
      ),
    }),
    /** Starts showing the customer's sensors, or looking for a customer. Nothing waits for the broker. */
    start: async (runtime: Runtime, prometheus: Prometheus): Promise<void> => {
      const deps = await composeDeps(runtime, ['customers.list']);
      const find = async (): Promise<void> => {
        cancelLook();
        cancelLook = clock.after(CUSTOMER_MS, look);
        found = await customerToShow(deps, settings.customerId);
        if (!found.customer || customerId !== null) return;
        cancelLook();
        customerId = found.customer.id;
        shown = await showCustomer(found.customer, settings, { runtime, prometheus, clock, log, rates });
      };
      look = () =>
        void find().catch((error: unknown) =>
          log('warn', 'the customer to show in Home Assistant is unknown', {}, error),
        );
      await find();
    },
    line: (): string => lineAbout(found, settings),
    stop: async (): Promise<void> => {
      look = () => {};
      cancelLook();
      await shown?.stop();
    },
  };
};
