/**
 * The variables of a template that is known at compile time.
 *
 * @example
 * type Menu = TemplateVariables<'menu://{day}{?page}'>; // { day: string; page?: string }
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/server/resources#resource-templates
 */
export type TemplateVariables<T extends string> =
  // Only a type that is wider than a literal, such as `string`, makes a `Record` with an index signature.
  Record<never, never> extends Record<T, unknown>
    ? Record<string, string | string[]>
    : Flat<
        { [V in RequiredOf<Expressions<T>> as Name<V>]: Value<V> } & {
          [V in OptionalOf<Expressions<T>> as Name<V>]?: Value<V>;
        }
      >;

type Flat<T> = { [K in keyof T]: T[K] };
type Expressions<T> = T extends `${string}{${infer Body}}${infer Rest}` ? Body | Expressions<Rest> : never;
type OptionalOf<Body> = Body extends `${'?' | '&'}${infer List}` ? Split<List> : never;
type RequiredOf<Body> = Body extends `${'?' | '&'}${string}`
  ? never
  : Body extends `${'+' | '#' | '.' | '/' | ';'}${infer List}`
    ? Split<List>
    : Split<Body>;
type Split<List> = List extends `${infer Head},${infer Rest}` ? Head | Split<Rest> : List;
type Name<V> = V extends `${infer N}*` ? N : V extends `${infer N}:${string}` ? N : V & string;
type Value<V> = V extends `${string}*` ? string[] : string;
