import { frankfurt } from './frankfurt';
import { munich } from './munich';
import type { DemoGuest, DemoSite } from './site';

/** Nordwind, a mail-order company that does not exist: a data centre and an office. */
export const SITES: readonly DemoSite[] = [frankfurt, munich];

const byName = new Map(SITES.flatMap((site) => site.guests.map((guest) => [guest.name, { site, guest }] as const)));

/** @throws Error when the demo has no such guest */
export function guestNamed(name: string): { site: DemoSite; guest: DemoGuest } {
  const found = byName.get(name);
  if (!found) throw new Error(`the demo has no guest ${name}`);
  return found;
}
