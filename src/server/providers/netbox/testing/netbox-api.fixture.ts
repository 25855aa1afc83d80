/**
 * The part of the REST API of NetBox that Fabric uses, as an OpenAPI document. It is our own description; `FABRIC_NETBOX_SCHEMA` names
 * the document of a NetBox (`/api/schema/?format=json`), with which the tests compare it and which their server then follows.
 */
type Schema = Readonly<Record<string, unknown>>;
type Parameter = { name: string; in: string; schema: Schema };
export type ApiDocument = {
  info: { version: string };
  paths: Record<
    string,
    { get: { parameters: Parameter[]; responses: { 200: { content: Record<string, { schema: Schema }> } } } }
  >;
  components: { schemas: Record<string, Schema> };
};

const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const integer = { type: 'integer' };
const string = { type: 'string' };
const uri = { type: 'string', format: 'uri' };
const time = { type: 'string', format: 'date-time', nullable: true };
const list = (items: Schema) => ({ type: 'array', items });
const orNull = (name: string) => ({ allOf: [ref(name)], nullable: true });
const choice = (...values: string[]) => ({
  type: 'object',
  properties: { value: { type: 'string', enum: values }, label: string },
});
const object = (required: string[], properties: Record<string, Schema>) => ({ type: 'object', required, properties });
const page = (name: string) =>
  object(['count', 'results'], {
    count: integer,
    next: { ...uri, nullable: true },
    previous: { ...uri, nullable: true },
    results: list(ref(name)),
  });

const parameter = (name: string, schema: Schema): Parameter => ({ in: 'query', name, schema });
const get = (name: string) => ({
  get: {
    parameters: [
      parameter('id__gt', list(integer)),
      parameter('limit', integer),
      parameter('offset', integer),
      parameter('ordering', string),
      parameter('tag', list(string)),
      parameter('tenant', list(string)),
    ],
    responses: { 200: { content: { 'application/json': { schema: ref(name) } } } },
  },
});

const named = { id: integer, url: uri, display: string, name: { type: 'string', maxLength: 100 } };
const shared = {
  id: integer,
  url: uri,
  display: string,
  vrf: orNull('BriefVRF'),
  tenant: orNull('BriefTenant'),
  description: { type: 'string', maxLength: 200 },
  tags: list(ref('NestedTag')),
  created: time,
  last_updated: time,
};
const always = ['created', 'display', 'id', 'last_updated', 'url'];

export const NETBOX_API: ApiDocument = {
  info: { version: 'as used by Fabric' },
  paths: {
    '/api/ipam/prefixes/': get('PaginatedPrefixList'),
    '/api/ipam/ip-addresses/': get('PaginatedIPAddressList'),
  },
  components: {
    schemas: {
      PaginatedPrefixList: page('Prefix'),
      PaginatedIPAddressList: page('IPAddress'),
      Prefix: object([...always, 'prefix'], {
        ...shared,
        prefix: string,
        vlan: orNull('BriefVLAN'),
        status: choice('container', 'active', 'reserved', 'deprecated'),
      }),
      IPAddress: object([...always, 'address'], {
        ...shared,
        address: string,
        status: choice('active', 'reserved', 'deprecated', 'dhcp', 'slaac'),
        dns_name: { type: 'string', maxLength: 255 },
      }),
      BriefVRF: object(['display', 'id', 'name', 'url'], named),
      BriefTenant: object(['display', 'id', 'name', 'slug', 'url'], {
        ...named,
        slug: { type: 'string', maxLength: 100 },
      }),
      BriefVLAN: object(['display', 'id', 'name', 'url', 'vid'], {
        ...named,
        name: { type: 'string', maxLength: 64 },
        vid: { type: 'integer', minimum: 1, maximum: 4094 },
      }),
      NestedTag: object(['display', 'id', 'name', 'slug', 'url'], {
        ...named,
        slug: { type: 'string', maxLength: 100 },
      }),
    },
  },
};
