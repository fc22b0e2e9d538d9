/** The value of a template variable; an absent or undefined one is left out. */
export type TemplateValue =
  | string
  | number
  | boolean
  | readonly string[]
  | Readonly<Record<string, string>>
  | undefined;
