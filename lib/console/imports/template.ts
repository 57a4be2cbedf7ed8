import type { Import } from '#openapi';

export type Kind = Import['kind'];

/** The columns of each file, in order, with examples. A new row without the required columns is rejected. */
export const templates = {
  users: {
    required: ['username', 'email'],
    example: {
      username: 'anna.meier',
      firstName: 'Anna',
      lastName: 'Meier',
      email: 'anna.meier@example.com',
      locale: 'en',
      telegramId: '',
      mobileNumber: '',
      permissions: '',
    },
  },
  sensors: {
    required: ['hardwareId'],
    example: { hardwareId: '02:00:00:5E:10:01', name: 'Room 101', group: 'Ward 1' },
  },
  rules: {
    required: ['name', 'title', 'message', 'situation', 'recipients'],
    example: {
      name: 'Falls at night',
      title: '{situation}: {sensor}',
      message: '{situation}, {time}',
      situation: 'fall_detected',
      sensor: '',
      group: '',
      days: '1 2 3 4 5 6 7',
      from: '21:00',
      to: '06:00',
      timeZone: '',
      rateLimitSeconds: '60',
      includeSimulated: 'false',
      isEnabled: 'true',
      recipients: 'onDuty:sms',
      escalation: '60 onDuty:sms;onDuty:push',
      repeatSeconds: '300',
      untilAcknowledged: 'true',
    },
  },
} as const satisfies Record<Kind, { required: readonly string[]; example: Readonly<Record<string, string>> }>;

/** Returns a CSV cell, in quotes if it contains a special character. */
const cell = (text: string): string => (/[",;\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

/** The byte order mark that lets spreadsheet programs recognize UTF-8. */
const BOM = '\uFEFF';

/** Returns a file with the columns and an example. German spreadsheet programs expect semicolons between cells. */
export const templateOf = (kind: Kind, locale: string): string => {
  const { example } = templates[kind];
  const separator = locale === 'de' ? ';' : ',';
  const lines = [Object.keys(example), Object.values(example)];
  return `${BOM}${lines.map((cells) => cells.map(cell).join(separator)).join('\r\n')}\r\n`;
};

/**
 * Decodes a file to text. Some spreadsheet programs write Windows-1252, where a character such as ü is not valid UTF-8.
 */
export const decodeFile = (bytes: ArrayBuffer): string => {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder('windows-1252').decode(bytes);
  }
};
