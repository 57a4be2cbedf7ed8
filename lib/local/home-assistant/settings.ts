import { loginProblems } from '../login.ts';
import { isLoopback } from '../mail/smtp-url.ts';
import type { VariableValues } from '../variables.ts';
import { type Broker, readBrokerUrl } from './broker-url.ts';

/** How to show a customer's sensors in Home Assistant. A file that is not set is null. */
export type HomeAssistantSettings = {
  broker: Broker;
  user: string;
  passwordFile: string | null;
  /** The certificates trusted instead of those that Node.js trusts. */
  caFile: string | null;
  /** Additional trusted certificates. */
  extraCaFile: string | null;
  /** If null, the only customer is shown. */
  customerId: number | null;
  /** Whether each sensor has a button to acknowledge falls. */
  canAcknowledge: boolean;
};

type HomeAssistantVariables = Pick<
  VariableValues,
  | 'HOME_ASSISTANT_MQTT_URL'
  | 'HOME_ASSISTANT_MQTT_USER'
  | 'HOME_ASSISTANT_MQTT_PASSWORD_FILE'
  | 'HOME_ASSISTANT_MQTT_CA'
  | 'HOME_ASSISTANT_CUSTOMER_ID'
  | 'HOME_ASSISTANT_ACKNOWLEDGE'
  | 'EXTRA_CA_CERTS'
>;

const names = {
  url: 'HOME_ASSISTANT_MQTT_URL',
  user: 'HOME_ASSISTANT_MQTT_USER',
  passwordFile: 'HOME_ASSISTANT_MQTT_PASSWORD_FILE',
  server: 'the broker',
} as const;

/** Returns the Home Assistant settings. Null without a broker. */
export const homeAssistantFrom = (values: HomeAssistantVariables): HomeAssistantSettings | null => {
  const url = values.HOME_ASSISTANT_MQTT_URL;
  const broker = url === null ? null : readBrokerUrl(url);
  return (
    broker && {
      broker,
      user: values.HOME_ASSISTANT_MQTT_USER ?? broker.user,
      passwordFile: values.HOME_ASSISTANT_MQTT_PASSWORD_FILE,
      caFile: values.HOME_ASSISTANT_MQTT_CA,
      extraCaFile: values.EXTRA_CA_CERTS,
      customerId: values.HOME_ASSISTANT_CUSTOMER_ID,
      canAcknowledge: values.HOME_ASSISTANT_ACKNOWLEDGE,
    }
  );
};

/** Returns a sentence for each Home Assistant setting that conflicts with another one. */
export const homeAssistantProblems = (values: HomeAssistantVariables): string[] => {
  const broker = homeAssistantFrom(values)?.broker;
  const {
    HOME_ASSISTANT_MQTT_USER: user,
    HOME_ASSISTANT_MQTT_PASSWORD_FILE: passwordFile,
    HOME_ASSISTANT_MQTT_CA: ca,
    HOME_ASSISTANT_CUSTOMER_ID: customerId,
    HOME_ASSISTANT_ACKNOWLEDGE: canAcknowledge,
  } = values;
  if (!broker) {
    const others = {
      [names.user]: user,
      [names.passwordFile]: passwordFile,
      HOME_ASSISTANT_MQTT_CA: ca,
      HOME_ASSISTANT_CUSTOMER_ID: customerId,
      HOME_ASSISTANT_ACKNOWLEDGE: canAcknowledge || null,
    };
    return Object.entries(others).flatMap(([name, value]) =>
      value === null ? [] : [`${names.url} is missing: ${name} has no use without it`],
    );
  }
  return [
    ...loginProblems({ inUrl: broker, user, passwordFile }, names),
    ...(!broker.isEncrypted && ca !== null
      ? [`HOME_ASSISTANT_MQTT_CA must not be set where ${names.url} is not encrypted`]
      : []),
  ];
};

/** Returns a sentence if others on the network can read sensor states. */
export const homeAssistantWarnings = (values: HomeAssistantVariables): string[] => {
  const broker = homeAssistantFrom(values)?.broker;
  return broker && !broker.isEncrypted && !isLoopback(broker.host)
    ? [
        `states of sensors are sent to ${broker.host} without encryption (?tls=none), so others on the network can read them and the password`,
      ]
    : [];
};
