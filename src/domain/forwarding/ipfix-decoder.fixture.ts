/** What a collector of IPFIX reads, written from RFC 7011 alone and without the encoder: for tests. */
type DecodedRecord = { template: number; scope: number; values: Map<number, bigint> };
export type DecodedMessage = {
  length: number;
  exported_at: number;
  sequence: number;
  domain: number;
  templates: number[];
  records: DecodedRecord[];
};
type Template = { fields: [element: number, length: number][]; scope: number };

/** A collector that knows only the templates of messages that it got, each in its domain. */
export class IpfixCollector {
  private readonly templates = new Map<string, Template>();

  read(bytes: Uint8Array): DecodedMessage {
    const data = Buffer.from(bytes);
    if (data.readUInt16BE(0) !== 10) throw new Error('expected version 10');
    const message: DecodedMessage = {
      ...{ length: data.readUInt16BE(2), exported_at: data.readUInt32BE(4), sequence: data.readUInt32BE(8) },
      ...{ domain: data.readUInt32BE(12), templates: [], records: [] },
    };
    if (message.length !== data.length) throw new Error(`expected ${message.length} bytes, got ${data.length}`);
    let at = 16;
    while (at < data.length) {
      const [id, length] = [data.readUInt16BE(at), data.readUInt16BE(at + 2)];
      if (length < 4 || at + length > data.length) throw new Error(`expected a set within the message at ${at}`);
      const body = data.subarray(at + 4, at + length);
      if (id === 2 || id === 3) this.readTemplates(body, id === 3, message);
      else if (id >= 256) this.readRecords(body, id, message);
      else throw new Error(`unexpected set ${id}`);
      at += length;
    }
    return message;
  }

  private readTemplates(body: Buffer, hasScope: boolean, message: DecodedMessage): void {
    for (let at = 0; at < body.length; ) {
      const [id, count] = [body.readUInt16BE(at), body.readUInt16BE(at + 2)];
      const scope = hasScope ? body.readUInt16BE(at + 4) : 0;
      at += hasScope ? 6 : 4;
      const fields: Template['fields'] = [];
      for (let i = 0; i < count; i++, at += 4) fields.push([body.readUInt16BE(at), body.readUInt16BE(at + 2)]);
      this.templates.set(`${message.domain}/${id}`, { fields, scope });
      message.templates.push(id);
    }
  }

  private readRecords(body: Buffer, id: number, message: DecodedMessage): void {
    const template = this.templates.get(`${message.domain}/${id}`);
    if (!template) throw new Error(`data of template ${id}, which is not known in domain ${message.domain}`);
    const size = template.fields.reduce((sum, [, length]) => sum + length, 0);
    if (body.length % size !== 0) throw new Error(`${body.length} bytes are no records of ${size} bytes`);
    for (let at = 0; at < body.length; ) {
      const values = new Map<number, bigint>();
      for (const [element, length] of template.fields) {
        values.set(element, BigInt(`0x${body.subarray(at, at + length).toString('hex')}`));
        at += length;
      }
      message.records.push({ template: id, scope: template.scope, values });
    }
  }
}
