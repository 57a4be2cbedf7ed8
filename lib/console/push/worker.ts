// The service worker of the console. It shows what is pushed, also while no page of the console is open, and keeps nothing.

/** What the service pushes (shared/delivery/targets/people.ts). */
type Letter = { title: string; text: string; url: string | null; listUrl?: string; language: string };
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

/** The button of a notification by which somebody says to go. */
const GO = 'go';
const words = {
  en: { go: "I'll go", goes: (name: string) => `${name} takes care of it.` },
  de: { go: 'Ich gehe hin', goes: (name: string) => `${name} kümmert sich darum.` },
};
const wordsOf = (language: string) => (language === 'de' ? words.de : words.en);

worker.addEventListener('install', (event) => event.waitUntil(worker.skipWaiting()));

worker.addEventListener('push', (event) => {
  const letter = event.data?.json();
  if (!letter) return;
  const { title, text, url, listUrl = null, language } = letter;
  const actions = url === null ? [] : [{ action: GO, title: wordsOf(language).go }];
  // It stays until somebody has seen it: it may tell of a fall.
  const options = { body: text, lang: language, data: url ?? listUrl, requireInteraction: true, actions };
  event.waitUntil(worker.registration.showNotification(title, options));
});

/** Says by the address of the alarm that its user goes, and shows who does. Where that fails, its page is opened. */
const go = async ({ title, lang, data: url }: Notification): Promise<void> => {
  const answer = await fetch(url, {
    method: 'POST',
    // The address is the credential: a session that this browser has too is not used, and must not end.
    credentials: 'omit',
    headers: { 'Content-Type': 'application/json' },
    body: '{}',
    signal: AbortSignal.timeout(10_000),
  }).catch(() => null);
  if (!answer?.ok) {
    await worker.clients.openWindow(url);
    return;
  }
  const { name }: { name: string } = await answer.json();
  await worker.registration.showNotification(title, { body: wordsOf(lang).goes(name), lang });
};

worker.addEventListener('notificationclick', (event) => {
  const { notification, action } = event;
  notification.close();
  const { data } = notification;
  const isAnswered = action === GO && data;
  event.waitUntil(isAnswered ? go(notification) : worker.clients.openWindow(data ?? worker.registration.scope));
});

export {};
