import { isCommonPassword } from '#shared/auth/common-passwords.ts';
import { settingsFor } from '#shared/settings/hosts.ts';
import { flag, origin, shortName, text, wholeNumber } from '#shared/settings/kinds.ts';
import { serviceSettings } from '#shared/settings/service.ts';
import { declare, type SettingValues } from '#shared/settings/setting.ts';
import { readBrokerUrl } from './home-assistant/broker-url.ts';
import { readSmtpUrl } from './mail/smtp-url.ts';

const port = () => wholeNumber(0, 65_535);
const SMS_URL =
  /^(https:\/\/[\w.:[\]-]{1,253}|http:\/\/(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d{1,5})?)([/?][!-"$-?A-[\]-~]{0,500})?$/;
const smsUrl = () => {
  const words = 'an https address, or an http address of this machine, without user, # and \\';
  return text(SMS_URL, words).refine((url) => URL.canParse(url), `must be ${words}`);
};
const smtpUrl = () => {
  const words = 'smtp://HOST or smtps://HOST, where a port, user:password@ and, for smtp, ?tls=none may be added';
  return text(/^/, words).refine((url) => readSmtpUrl(url) !== null, `must be ${words}`);
};
const brokerUrl = () => {
  const words =
    'mqtts://HOST, or mqtt://HOST on this machine or with ?tls=none, where a port and user:password@ may be added';
  return text(/^/, words).refine((url) => readBrokerUrl(url) !== null, `must be ${words}`);
};
const path = () => text(/^[^\0]{1,1024}$/, 'a path of 1 to 1024 characters');

/** Whether a password is as long as the API requires and not one of the common ones that attackers try first. */
const isPassword = (password: string): boolean => {
  const bytes = Buffer.byteLength(password);
  return bytes >= 10 && bytes <= 1_024 && !isCommonPassword(password);
};
const password = () => {
  const allowed = 'a password of 10 to 1024 bytes that is not a common one';
  return text(/^/, allowed).refine(isPassword, `must be ${allowed}`);
};

/** The settings specific to `npm start`. */
const own = declare({
  HOST: {
    schema: () => text(/^[\w.:-]{1,253}$/, 'an address or host name of this machine'),
    default: '127.0.0.1',
    about: {
      help: "Address or host name to listen on, for HTTP and MQTT. 0.0.0.0 listens on all of this machine's addresses.",
      byDefault: '127.0.0.1, reachable only from this machine',
      example: '0.0.0.0',
    },
  },
  PORT: {
    schema: port,
    default: 3_000,
    about: { help: 'Port to listen on. 0 picks a free one.' },
  },
  TLS_CERT: {
    schema: path,
    default: null,
    about: {
      help: 'File with the certificate and chain (PEM), for HTTPS and MQTT. It is reloaded when it changes.',
      byDefault: 'no TLS',
      example: '/etc/ssl/cloud.pem',
    },
  },
  TLS_KEY: {
    schema: path,
    default: null,
    about: {
      help: 'File with the private key for that certificate (PEM).',
      byDefault: 'no TLS',
      example: '/etc/ssl/cloud.key',
    },
  },
  DATA_DIR: {
    schema: () => text(/^[^\0]{1,1024}$/, 'the path of a folder, or :memory:'),
    default: '.local',
    about: {
      help: 'Folder for the table, the queues and the key that encrypts secrets. `:memory:` keeps nothing after a restart.',
      example: '.local',
    },
  },
  ADMIN_USERNAME: {
    schema: shortName,
    default: 'admin',
    about: { help: 'Username for the system admin created at the first start.' },
  },
  ADMIN_PASSWORD: {
    schema: password,
    default: null,
    about: { isSecret: true, help: 'Initial password for that admin.', byDefault: 'generated, and printed once' },
  },
  PROVISIONING_KEY: {
    schema: () => text(/^\S(.{0,1022}\S)?$/, '1 to 1024 characters without a space at either end'),
    default: null,
    about: {
      isSecret: true,
      help: 'Key that devices register with.',
      byDefault: 'generated at the first start, and printed once',
    },
  },
  DEMO: {
    schema: flag,
    default: true,
    about: { help: 'Runs a demo home with simulated sensors.' },
  },
  MQTT_PORT: {
    schema: port,
    default: null,
    about: {
      help: 'MQTT broker port for devices. 0 picks a free one.',
      byDefault: 'no MQTT',
      example: '1883',
    },
  },
  SMS_URL: {
    schema: smsUrl,
    default: null,
    about: {
      help: 'SMS gateway address, which receives a POST with `{"to", "text"}` as JSON for each SMS.',
      byDefault: 'no SMS',
      example: 'https://sms.example.org/send',
    },
  },
  SMS_TOKEN: {
    schema: () => text(/^[!-~]{1,1024}$/, '1 to 1024 printable characters without spaces'),
    default: null,
    about: { isSecret: true, help: 'Bearer token for the SMS gateway.', byDefault: 'no authentication' },
  },
  OUTBOX: {
    schema: flag,
    default: null,
    about: {
      help:
        "Writes messages for channels without a service to files in the data folder's `outbox`, where they reach " +
        'nobody. Without it, these channels are not offered.',
      byDefault: 'as `DEMO`',
      example: 'true',
    },
  },
  SMTP_URL: {
    schema: smtpUrl,
    default: null,
    about: {
      isSecret: true,
      help:
        'Mail server for sending email; requires `MAIL_SENDER`. The default port is 587 for smtp, 465 for smtps. ' +
        'Beyond loopback, smtp requires STARTTLS, unless `?tls=none` is added.',
      byDefault: 'no email',
      example: 'smtp://mail.example.org',
    },
  },
  SMTP_USER: {
    schema: () => text(/^[^\0\r\n]{1,256}$/, '1 to 256 characters on one line'),
    default: null,
    about: { help: 'Username for the mail server.', byDefault: 'the username in `SMTP_URL`, or no login' },
  },
  SMTP_PASSWORD_FILE: {
    schema: path,
    default: null,
    about: {
      help: "File with that user's password. It is read again for each email.",
      byDefault: 'the password in `SMTP_URL`',
      example: '/etc/sensor-cloud.smtp',
    },
  },
  SMTP_CA: {
    schema: path,
    default: null,
    about: {
      help:
        "File with the CA certificates (PEM) that may sign the mail server's certificate. It is read again for each " +
        'email.',
      byDefault: 'the CAs trusted by Node.js',
      example: '/etc/ssl/home-ca.pem',
    },
  },
  EXTRA_CA_CERTS: {
    schema: path,
    default: null,
    about: {
      help:
        'File with private CA certificates or self-signed receiver certificates (PEM). In addition to the CAs ' +
        'trusted by Node.js, they are trusted for webhooks, the mail server, the SMS gateway and the Home Assistant ' +
        'broker, and for nothing else. The file is read when the service starts.',
      byDefault: 'none',
      example: '/etc/ssl/home-ca.pem',
    },
  },
  HOME_ASSISTANT_MQTT_URL: {
    schema: brokerUrl,
    default: null,
    about: {
      isSecret: true,
      help:
        "Home Assistant MQTT broker. Home Assistant shows one customer's sensors. The default port is 8883 for " +
        'mqtts, 1883 for mqtt.',
      byDefault: 'not shown in Home Assistant',
      example: 'mqtts://homeassistant.lan',
    },
  },
  HOME_ASSISTANT_MQTT_USER: {
    schema: () => text(/^[^\0\r\n]{1,256}$/, '1 to 256 characters on one line'),
    default: null,
    about: {
      help: 'Username for that broker.',
      byDefault: 'the username in `HOME_ASSISTANT_MQTT_URL`, or no login',
    },
  },
  HOME_ASSISTANT_MQTT_PASSWORD_FILE: {
    schema: path,
    default: null,
    about: {
      help: "File with that user's password. It is read again for each connection.",
      byDefault: 'the password in `HOME_ASSISTANT_MQTT_URL`',
      example: '/etc/sensor-cloud.mqtt',
    },
  },
  HOME_ASSISTANT_MQTT_CA: {
    schema: path,
    default: null,
    about: {
      help:
        "File with the CA certificates (PEM) that may sign that broker's certificate. It is read again for each " +
        'connection.',
      byDefault: 'the CAs trusted by Node.js',
      example: '/etc/ssl/home-ca.pem',
    },
  },
  HOME_ASSISTANT_CUSTOMER_ID: {
    schema: () => wholeNumber(1, Number.MAX_SAFE_INTEGER),
    default: null,
    about: {
      help: 'Customer whose sensors are shown in Home Assistant. Required if there are several.',
      byDefault: 'the only customer',
      example: '1',
    },
  },
  HOME_ASSISTANT_ACKNOWLEDGE: {
    schema: flag,
    default: false,
    about: {
      help:
        'Adds a Home Assistant button to each sensor that acknowledges falls. Anyone who can log in there can press ' +
        'it.',
      example: 'true',
    },
  },
  AWS_ENDPOINT_URL_DYNAMODB: {
    schema: origin,
    default: null,
    about: {
      help: 'DynamoDB endpoint to use. `DATA_DIR` must then be a folder, for the key that encrypts secrets.',
      byDefault: 'the built-in table',
      example: 'http://127.0.0.1:8000',
    },
  },
  AWS_ENDPOINT_URL_SQS: {
    schema: origin,
    default: null,
    about: {
      help: 'SQS endpoint to use.',
      byDefault: 'the built-in queues',
      example: 'http://127.0.0.1:9324',
    },
  },
  AWS_ENDPOINT_URL_KMS: {
    schema: origin,
    default: null,
    about: {
      help: 'KMS endpoint whose key `alias/sensor-cloud` encrypts webhook secrets.',
      byDefault: 'the key in `DATA_DIR`',
      example: 'http://127.0.0.1:8080',
    },
  },
});

/** The environment variables for `npm start`, in README order. */
export const variables = { ...own, ...settingsFor(serviceSettings, 'local') };
export type VariableName = keyof typeof variables;
export const variableNames = Object.keys(variables) as VariableName[];
export type VariableValues = SettingValues<typeof variables>;
