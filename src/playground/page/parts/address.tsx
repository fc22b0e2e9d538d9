/** An address with its host in bold, which is the part that tells whose page it is. */
export function Address(props: { url: URL }) {
  return (
    <p class="address mono">
      {`${props.url.protocol}//`}
      <strong>{props.url.host}</strong>
      {props.url.pathname}
      {props.url.search}
    </p>
  );
}
