import { addDays, type Day, getWeekday, isDay, toDay, toTimestamp, type Zone } from './calendar';

/** A typed range: a span that ends now ("15m"), or times in milliseconds, where `until` null is now. */
export type TypedRange = { span: string } | { since: number; until: number | null };

/** Why words are no range: they are not understood, a time has no end, or all of it is still to come. */
export type RangeProblem = 'unknown' | 'no_end' | 'future';

export type TimeContext = {
  /** Milliseconds. */
  now: number;
  zone: Zone;
  /** Whether 3/11 is the third of November; without, such a date is not understood unless only one order is possible. */
  dayFirst: boolean;
};

const DAY = 24 * 60;

/** Days from `from`, `days` of them. */
type Days = { from: Day; days: number };
type Point = { days?: Days; minutes?: number; part?: readonly [number, number]; half?: 'am' | 'pm' };
type Scan = { rest: string; now: number; zone: Zone; dayFirst: boolean };

const MONTHS = [
  /^jan(uary|uar|v|vier)?\b/,
  /^feb(ruary|ruar)?\b|^fevr?(ier)?\b/,
  /^mar(ch|s)?\b|^marz\b/,
  /^apr(il)?\b|^avr(il)?\b/,
  /^ma[iy]\b/,
  /^june?\b|^juni\b|^juin\b/,
  /^jul[yi]?\b|^juil(let)?\b/,
  /^aug(ust)?\b|^aout\b/,
  /^sept?(ember|embre)?\b/,
  /^o[ck]t(ober|obre)?\b/,
  /^nov(ember|embre)?\b/,
  /^de[cz](ember|embre)?\b/,
];
const WEEKDAYS = [
  /^mon(day)?\b|^montag\b|^lundi\b/,
  /^tue(s|sday)?\b|^dienstag\b|^mardi\b/,
  /^wed(nesday)?\b|^mittwoch\b|^mercredi\b/,
  /^thu(rs?|rsday)?\b|^donnerstag\b|^jeudi\b/,
  /^fri(day)?\b|^freitag\b|^vendredi\b/,
  /^sat(urday)?\b|^samstag\b|^sonnabend\b|^samedi\b/,
  /^sun(day)?\b|^sonntag\b|^dimanche\b/,
];
const UNITS = [
  { letter: 'm', times: 1, words: /^(m|mins?|minutes?|minuten?)$/ },
  { letter: 'h', times: 1, words: /^(h|hrs?|hours?|std|stunden?|heures?)$/ },
  { letter: 'd', times: 1, words: /^(d|days?|tage?n?|j|jours?)$/ },
  { letter: 'd', times: 7, words: /^(w|weeks?|wochen?|sem|semaines?)$/ },
  { letter: 'd', times: 30, words: /^(months?|monate?n?|mois)$/ },
] as const;
const PARTS = [
  {
    words: /^(?:in the |dans la |de l'|l')?apres-?midi\b|^(?:in the |am )?(?:afternoon|nachmittag)s?\b/,
    part: [720, 1080],
  },
  { words: /^(?:in the |am |le |dans la )?(?:morning|vormittag|morgen|fruh|matin|matinee)s?\b/, part: [360, 720] },
  { words: /^(?:in the |am |le |au )?(?:evening|abend|soir|soiree)s?\b/, part: [1080, 1320] },
  { words: /^(?:at |in der |dans la |la )?(?:night|nacht|nuit)s?\b/, part: [1320, DAY + 360] },
] as const;

const OPEN = /^(?:since|from|seit|ab|depuis)\s+/;
const START = /^(?:from|between|von|vom|zwischen|de|du|des|entre)\s+/;
const BETWEEN = /^(?:-|to\b|until\b|till\b|and\b|bis\b|und\b|a\b|au\b|aux\b|et\b|jusqu'(?:a|au)\b)\s*/;
const FILLER = /^(?:at|on|the|from|between|um|am|den|der|dem|von|zwischen|le|la|les|a|de|entre)\b\s*/;
const AGO =
  /^(?:last|past|previous|the last|the past)\s+|^(?:(?:in )?(?:den |die |der )?(?:letzte[nrs]?|vergangene[nrs]?|vorige[nrs]?))\s+|^(?:(?:les |la |le )?derni?er(?:e|es|s)?)\s+/;
const THIS = /^(?:this|diese[nrs]?|cet(?:te)?|ce)\s+/;

/** Without accents and capitals, with one kind of dash and of space. */
const normalizeText = (text: string) =>
  text
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[‐-―−~]/g, '-')
    .replace(/[’`]/g, "'")
    .replace(/,/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();

/** A span that ends now, such as "last 15 minutes", "24h", "les 6 dernières heures", "letzte Stunde". */
function parseSpan(text: string): string | null {
  const after = text
    .replace(AGO, '')
    .replace(/^les (?=\d)/, '')
    .replace(/^(\d{1,3}) derni?er(?:e|es|s)? /, '$1 ');
  const match = /^(\d{1,3})?\s*([a-z]+)$/.exec(after);
  if (!match) return null;
  const [, amount, unit = ''] = match;
  const found = UNITS.find(({ words }) => words.test(unit));
  // "Last week" is a week of the calendar, and an hour without "last" is none.
  if (!found || (amount === undefined && (after === text || found.times > 1))) return null;
  const count = Number(amount ?? 1) * found.times;
  return count > 0 ? `${count}${found.letter}` : null;
}

/** Takes what matches away; null if nothing does. */
function consume(scan: Scan, pattern: RegExp): RegExpExecArray | null {
  const match = pattern.exec(scan.rest);
  if (match) scan.rest = scan.rest.slice(match[0].length).trimStart();
  return match;
}

const toSingleDay = (from: Day): Days => ({ from, days: 1 });

/** The latest such date that is not in the future, when the year is left out. */
function resolveDate(scan: Scan, day: number, month: number, year?: string): Days | null {
  const today = toDay(scan.now, scan.zone);
  if (year !== undefined)
    return isDay({ year: Number(year), month, day }) ? toSingleDay({ year: Number(year), month, day }) : null;
  for (let back = 0; back <= 8; back += 1) {
    const date = { year: today.year - back, month, day };
    if (isDay(date) && toTimestamp(date, 0, scan.zone) <= scan.now) return toSingleDay(date);
  }
  return null;
}

function consumeMonth(scan: Scan): number | null {
  const at = MONTHS.findIndex((pattern) => pattern.test(scan.rest));
  if (at === -1) return null;
  consume(scan, MONTHS[at] as RegExp);
  consume(scan, /^\./);
  return at + 1;
}

/** A month of the calendar, whole. */
function getMonthDays(year: number, month: number): Days {
  const from = { year, month, day: 1 };
  const next = toDay(Date.UTC(year, month, 1), 'utc');
  return {
    from: toDay(Date.UTC(year, month - 1, 1), 'utc'),
    days: (Date.UTC(next.year, next.month - 1, 1) - Date.UTC(from.year, month - 1, 1)) / 86_400_000,
  };
}

/** "3 Nov", "Nov 3", "2026-11-03", "03.11.", "3/11". */
function consumeDate(scan: Scan): Days | null {
  const iso = consume(scan, /^(\d{4})-(\d{1,2})-(\d{1,2})(?:t(?=\d))?(?!\d)/);
  if (iso) return resolveDate(scan, Number(iso[3]), Number(iso[2]), iso[1]);
  const dots = consume(scan, /^(\d{1,2})\.\s?(\d{1,2})\.(?:\s?(\d{4})\b)?/);
  if (dots) return resolveDate(scan, Number(dots[1]), Number(dots[2]), dots[3]);
  const slashes = consume(scan, /^(\d{1,2})\/(\d{1,2})(?:\/(\d{4}))?\b/);
  if (slashes) {
    const [first, second] = [Number(slashes[1]), Number(slashes[2])];
    if (scan.dayFirst || first > 12) return resolveDate(scan, first, second, slashes[3]);
    return second > 12 || first === second ? resolveDate(scan, second, first, slashes[3]) : null;
  }
  const before = scan.rest;
  const day = consume(scan, /^(\d{1,2})(?:st|nd|rd|th|er|\.)?\s*(?:of |de )?(?=[a-z])/);
  if (day) {
    const month = consumeMonth(scan);
    if (month !== null) return resolveDate(scan, Number(day[1]), month, consume(scan, /^(\d{4})\b(?!:)/)?.[1]);
    scan.rest = before;
  }
  const month = consumeMonth(scan);
  if (month === null) return null;
  const of = consume(scan, /^(\d{1,2})(?:st|nd|rd|th)?\b(?![:h.]\d|\d)/);
  const year = consume(scan, /^(\d{4})\b(?!:)/)?.[1];
  if (of) return resolveDate(scan, Number(of[1]), month, year);
  const first = resolveDate(scan, 1, month, year);
  return first && getMonthDays(first.from.year, month);
}

/** "Yesterday", "last Monday", "this week". */
function consumeNamedDays(scan: Scan): Days | null {
  const today = toDay(scan.now, scan.zone);
  if (consume(scan, /^(?:the )?day before yesterday\b|^vorgestern\b|^avant-?hier\b/))
    return toSingleDay(addDays(today, -2));
  if (consume(scan, /^yesterday\b|^gestern\b|^hier\b/)) return toSingleDay(addDays(today, -1));
  if (consume(scan, /^today\b|^heute\b|^aujourd'?hui\b/)) return toSingleDay(today);
  const before = scan.rest;
  const isLast = consume(scan, AGO) !== null;
  const isThis = !isLast && consume(scan, THIS) !== null;
  const named = WEEKDAYS.findIndex((pattern) => pattern.test(scan.rest));
  if (named !== -1) {
    consume(scan, WEEKDAYS[named] as RegExp);
    const last = isLast || consume(scan, /^derni?er\b/) !== null;
    const back = (getWeekday(today) - named + 7) % 7;
    return toSingleDay(addDays(today, -(back === 0 && last ? 7 : back)));
  }
  const unit = consume(scan, /^(?:la |le )?(?:(week|woche|semaine)|(month|monat|mois))\b/);
  const last = isLast || (unit !== null && consume(scan, /^derni?ere?\b/) !== null);
  if (unit && (last || isThis)) {
    if (unit[2]) return getMonthDays(today.year, today.month - (last ? 1 : 0));
    return { from: addDays(today, -getWeekday(today) - (last ? 7 : 0)), days: 7 };
  }
  scan.rest = before;
  return null;
}

/** A part of a day; "this morning" and "tonight" name the day as well. */
function consumePart(scan: Scan, hasDay: boolean): Pick<Point, 'part' | 'days'> | null {
  const today = toDay(scan.now, scan.zone);
  if (consume(scan, /^tonight\b/)) return { part: [1080, DAY], days: toSingleDay(today) };
  if (consume(scan, /^last night\b|^letzte nacht\b|^la nuit derniere\b/))
    return { part: [1320, DAY + 360], days: toSingleDay(addDays(today, -1)) };
  const before = scan.rest;
  const isThis = consume(scan, THIS) !== null;
  const found = (isThis || hasDay) && PARTS.find(({ words }) => consume(scan, words) !== null);
  if (found) return { part: found.part, ...(isThis && { days: toSingleDay(today) }) };
  scan.rest = before;
  return null;
}

/** "18:00", "18h30", "6 pm", "18 Uhr", "noon". */
function consumeTime(scan: Scan): Pick<Point, 'minutes' | 'half'> | null {
  if (consume(scan, /^noon\b|^mittags?\b|^midi\b/)) return { minutes: 720 };
  if (consume(scan, /^midnight\b|^mitternacht\b|^minuit\b/)) return { minutes: 0 };
  const match = consume(
    scan,
    /^(\d{1,2})(?:(?::|\s?h\s?|\.)([0-5]\d)(?::\d\d(?:\.\d+)?)?|\s?h\b)?\s?(?:uhr\s?([0-5]\d)?)?(?!\d|:|\/)\s?(a\.?m\b\.?|p\.?m\b\.?)?/,
  );
  if (!match) return null;
  const half = match[4] ? (match[4].startsWith('a') ? 'am' : 'pm') : undefined;
  const hours = Number(match[1]);
  const minutes = Number(match[2] ?? match[3] ?? 0);
  if (half ? hours < 1 || hours > 12 : hours > 24 || (hours === 24 && minutes > 0)) return null;
  const onClock = half ? (hours % 12) + (half === 'pm' ? 12 : 0) : hours;
  return { minutes: onClock * 60 + minutes, half };
}

/** A day, a time of day or a part of a day, in any order; null if there is none or a word is not one of these. */
function consumePoint(scan: Scan): Point | null {
  const point: Point = {};
  for (;;) {
    const before = scan.rest;
    if (point.part === undefined && point.minutes === undefined) {
      const part = consumePart(scan, point.days !== undefined);
      if (part) Object.assign(point, part);
    }
    if (point.days === undefined && scan.rest === before) {
      const days = consumeNamedDays(scan) ?? consumeDate(scan);
      if (days) point.days = days;
      else if (scan.rest !== before) return null;
    }
    if (point.minutes === undefined && scan.rest === before) {
      const time = consumeTime(scan);
      if (time) Object.assign(point, time);
      else if (scan.rest !== before) return null;
    }
    if (scan.rest === before) {
      if (BETWEEN.test(scan.rest) && scan.rest[0] !== 'a') break;
      const known = point.days !== undefined || point.minutes !== undefined;
      // The French "à" leads to a time of the day that was named, and to the end of a range after a time.
      if (known && point.minutes !== undefined) break;
      if (!consume(scan, FILLER)) break;
    }
  }
  return point.days || point.minutes !== undefined || point.part ? point : null;
}

const toDayRange = ({ from, days }: Days, zone: Zone) => ({
  since: toTimestamp(from, 0, zone),
  until: toTimestamp(addDays(from, days), 0, zone),
});

/** A range of one expression: a whole day or week, or a part of a day. */
function toWholeRange(point: Point, { now, zone }: TimeContext): TypedRange | RangeProblem {
  if (!point.days) return point.minutes === undefined ? 'unknown' : 'no_end';
  const { from } = point.days;
  if (point.part)
    return { since: toTimestamp(from, point.part[0], zone), until: toTimestamp(from, point.part[1], zone) };
  if (point.minutes !== undefined) return 'no_end';
  const { since, until } = toDayRange(point.days, zone);
  // A day that is not over has no end yet.
  return { since, until: until > now ? null : until };
}

function toRangeBetween(first: Point, second: Point, { now, zone }: TimeContext): TypedRange | RangeProblem {
  const today = toDay(now, zone);
  const late = second.minutes;
  let early = first.minutes;
  // "6-10 pm" begins in the evening, too.
  if (
    early !== undefined &&
    late !== undefined &&
    first.half === undefined &&
    second.half === 'pm' &&
    early + 720 < late
  ) {
    early += 720;
  }
  const starts = (day: Day) => toTimestamp(day, early ?? first.part?.[0] ?? 0, zone);
  let from = first.days?.from ?? second.days?.from;
  // Without a day it is the latest one that has begun.
  if (!from) from = starts(today) > now ? addDays(today, -1) : today;
  const since = starts(from);
  if (late === undefined) {
    if (second.part) return { since, until: toTimestamp(second.days?.from ?? from, second.part[1], zone) };
    return second.days ? { since, until: toDayRange(second.days, zone).until } : 'unknown';
  }
  const to = second.days?.from ?? from;
  const until = toTimestamp(to, late, zone);
  // Over midnight.
  return {
    since,
    until: until <= since && !(first.days && second.days) ? toTimestamp(addDays(to, 1), late, zone) : until,
  };
}

function parsePoints(text: string, context: TimeContext): TypedRange | RangeProblem {
  const { now, zone } = context;
  const scan: Scan = { rest: text, ...context };
  const open = consume(scan, OPEN) !== null;
  if (!open) consume(scan, START);
  const first = consumePoint(scan);
  if (!first) return 'unknown';
  if (scan.rest === '') {
    if (!open) return toWholeRange(first, context);
    const day = first.days?.from ?? toDay(now, zone);
    const since = toTimestamp(day, first.minutes ?? first.part?.[0] ?? 0, zone);
    return {
      since: since > now && !first.days ? toTimestamp(addDays(day, -1), first.minutes ?? 0, zone) : since,
      until: null,
    };
  }
  if (!consume(scan, BETWEEN)) return 'unknown';
  if (consume(scan, /^(?:now|jetzt|maintenant)\b/)) {
    const day = first.days?.from ?? toDay(now, zone);
    return scan.rest === '' ? { since: toTimestamp(day, first.minutes ?? 0, zone), until: null } : 'unknown';
  }
  const second = consumePoint(scan);
  return second && scan.rest === '' ? toRangeBetween(first, second, context) : 'unknown';
}

/**
 * A typed range of time in English, German or French: "yesterday 18:00–22:00", "last 15 minutes", "3 Nov 09:00–10:00",
 * "gestern Abend", "depuis hier". The language of the page does not matter.
 */
export function parseTimeExpression(words: string, context: TimeContext): TypedRange | RangeProblem {
  const text = normalizeText(words);
  const span = parseSpan(text);
  if (span) return { span };
  const range = parsePoints(text, context);
  if (typeof range === 'string' || 'span' in range) return range;
  if (range.since >= (range.until ?? Number.POSITIVE_INFINITY)) return 'unknown';
  return range.since >= context.now ? 'future' : range;
}
