/** A packet to try, as it is typed: `test web-03 → pg-01:5432`. */
export type PacketQuestion = {
  source: string;
  destination: string;
  protocol: 'tcp' | 'udp';
  port: number | null;
};

/** `test` in the languages of the console; before an arrow it may be left out. */
const VERB = /^(?:test|testen?|teste|prüfen?|tester|vérifier)\s+/iu;
const ARROW = /\s*(?:→|⇒|->|=>|>)\s*/u;
const WORD_FOR_ARROW = /\s+(?:to|nach|zu|vers)\s+/iu;
/** `:5432`, ` 5432`, ` tcp/5432`, ` udp 53` at the end. */
const PORT = /(?::|\s+)(?:(tcp|udp)[/ ])?(\d{1,5})$/i;

/** What a text asks about a packet; null when it asks something else. */
export function parsePacketQuestion(text: string): PacketQuestion | null {
  const trimmed = text.trim();
  const asked = trimmed.replace(VERB, '');
  const ends =
    asked.split(ARROW).length === 2 ? asked.split(ARROW) : asked === trimmed ? [] : asked.split(WORD_FOR_ARROW);
  const [source = '', rest = ''] = ends;
  if (ends.length !== 2 || source === '' || rest === '') return null;
  // The colons of an IPv6 address are no port.
  const port = rest.split(':').length > 2 && !/\s/.test(rest) ? null : PORT.exec(rest);
  const number = port === null ? null : Number(port[2]);
  if (number !== null && number > 65_535) return null;
  const destination = port === null ? rest : rest.slice(0, port.index).trim();
  if (destination === '') return null;
  return { source, destination, protocol: port?.[1]?.toLowerCase() === 'udp' ? 'udp' : 'tcp', port: number };
}
