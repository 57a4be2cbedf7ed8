// The service worker of the console. It shows what is pushed, also while no page of the console is open, and keeps nothing.

/** What the service pushes (shared/delivery/targets/person-sender.ts). */
type Letter = { title: string; text: string; url: string | null; language: string; tag?: string };
type Lasting = { waitUntil: (work: Promise<unknown>) => void };
type PushEvent = Lasting & { data: { json: () => Letter } | null };
type ClickEvent = Lasting & { notification: Notification; action: string };
// The compiler knows the page of a browser, not what a worker has instead.
type Scope = {
  registration: ServiceWorkerRegistration;
  clients: { openWindow: (url: string) => Promise<unknown> };
  skipWaiting: () => Promise<void>;
  addEventListener: {
    (type: 'install', listener: (event: Lasting) => void): void;
    (type: 'push', listener: (event: PushEvent) => void): void;
    (type: 'notificationclick', listener: (event: ClickEvent) => void): void;
  };
};
const worker = globalThis as unknown as Scope;

/** The action of a notification that acknowledges its alarm. */
const GO = 'go';
const words = {
  en: {
    go: "I'm on it",
    goes: (name: string) => `${name} is on it.`,
    failed: 'Not acknowledged: please try again, or open the alarm.',
  },
  de: {
    go: 'Ich gehe hin',
    goes: (name: string) => `${name} geht hin.`,
    failed: 'Nicht bestätigt: Bitte erneut versuchen oder den Alarm öffnen.',
  },
};
const wordsOf = (language: string) => (language === 'de' ? words.de : words.en);

worker.addEventListener('install', (event) => event.waitUntil(worker.skipWaiting()));

/**
 * Shows a notification until somebody has seen it, because it may be about a fall. It replaces the one with the same tag,
 * and alerts again, because it belongs to another round of the alarm.
 */
const alert = ({ title, text, url, language, tag }: Letter): Promise<void> => {
  const options = {
    body: text,
    lang: language,
    data: url,
    requireInteraction: true,
    vibrate: [400, 200, 400],
    actions: url === null ? [] : [{ action: GO, title: wordsOf(language).go }],
    ...(tag !== undefined && { tag, renotify: true }),
  };
  return worker.registration.showNotification(title, options);
};

worker.addEventListener('push', (event) => {
  const letter = event.data?.json();
  if (letter) event.waitUntil(alert(letter));
});

/** Acknowledges an alarm through its link, and shows who is on it. If that fails, the alarm is shown again. */
const go = async ({ title, lang, tag, data: url }: Notification): Promise<void> => {
  const answer = await fetch(url, {
    method: 'POST',
    // The address is the credential: a session that this browser has too is not used, and must not end.
    credentials: 'omit',
    headers: { 'Content-Type': 'application/json' },
    body: '{}',
    signal: AbortSignal.timeout(10_000),
  }).catch(() => null);
  if (!answer?.ok) {
    await alert({ title, text: wordsOf(lang).failed, url, language: lang, ...(tag !== '' && { tag }) });
    return;
  }
  const { name }: { name: string } = await answer.json();
  await worker.registration.showNotification(title, { body: wordsOf(lang).goes(name), lang, tag });
};

worker.addEventListener('notificationclick', (event) => {
  const { notification, action } = event;
  notification.close();
  const { data } = notification;
  const isAnswered = action === GO && data;
  event.waitUntil(isAnswered ? go(notification) : worker.clients.openWindow(data ?? worker.registration.scope));
});

export {};
