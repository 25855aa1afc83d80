import { frankfurt } from './frankfurt';
import { munich } from './munich';
import type { DemoGuest, DemoSite } from './site';

/** Nordwind, a mail-order company that does not exist: a data centre and an office. */
export const SITES: readonly DemoSite[] = [frankfurt, munich];

const byName = new Map(SITES.flatMap((site) => site.guests.map((guest) => [guest.name, { site, guest }] as const)));

/** @throws Error when the demo has no such guest */
export function getGuestByName(name: string): { site: DemoSite; guest: DemoGuest } {
  const found = byName.get(name);
  if (!found) throw new Error(`the demo has no guest ${name}`);
  return found;
}

const running = SITES.flatMap(({ name, guests }) =>
  guests.filter((guest) => !guest.stopped && !guest.template).map((guest) => ({ ...guest, site: name })),
);
const listGuestNames = (match: (guest: (typeof running)[number]) => boolean) =>
  running.filter(match).map(({ name }) => name);

export const frankfurtGuests = listGuestNames(({ site }) => site === 'nordwind-fra');
export const linuxServers = listGuestNames(
  ({ site, windows, kind }) => site === 'nordwind-fra' && !windows && kind === 'vm',
);
export const desktops = listGuestNames(({ tags }) => tags.includes('desktop'));
export const developers = listGuestNames(({ tags, kind }) => tags.includes('dev') && kind === 'vm');
export const balancers = ['lb-01', 'lb-02'];
export const webs = ['web-01', 'web-02', 'web-03', 'web-04'];
export const apis = ['api-01', 'api-02', 'api-03'];
export const workers = ['worker-01', 'worker-02'];
export const runners = ['runner-01', 'runner-02'];
