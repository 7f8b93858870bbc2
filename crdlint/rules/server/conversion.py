"""spec.conversion and its webhook (apiextensions validation, validateCustomResourceConversion; apiserver util/webhook)."""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Sequence as SequenceOf
from functools import partial
from typing import Final

from crdlint.crd.errors import (
    INVALID,
    REQUIRED,
    Code,
    FieldError,
    Reason,
    Wording,
    forbidden,
    invalid,
    not_supported,
    required,
)
from crdlint.crd.kubenames import is_dns1035_label, is_dns1123_subdomain
from crdlint.crd.model import (
    CustomResourceConversion,
    CustomResourceDefinitionSpec,
    ServiceReference,
    WebhookClientConfig,
)
from crdlint.crd.paths import Path
from crdlint.golang.printing import Typed
from crdlint.rules.engine.common import ValidationOptions
from crdlint.rules.engine.relations import ANYWHERE
from crdlint.rules.engine.rule import Link, Rule

_Rule: Final = partial(Rule, scope="spec")
_SOURCE = "apiextensions/validation validateCustomResourceConversion"
_WEBHOOK_SOURCE = "apiserver/pkg/util/webhook"
STRATEGIES: Final = ("None", "Webhook")
REVIEWED: Final = ("v1", "v1beta1")
_FORM: Final = "; desired format: https://host[/path]"


def webhook_conversion(
    client: str = "{service: {namespace: default, name: convert}}", versions: str = "[v1]"
) -> str:
    """Return a conversion by a webhook."""
    return f"conversion:\n  strategy: Webhook\n  webhook:\n    clientConfig: {client}\n    conversionReviewVersions: {versions}\n"


GOOD = webhook_conversion()


STRATEGY = _Rule(
    "conversion-strategy-invalid",
    "Unsupported conversion strategy",
    observed=("webhook-to-none",),
    why="`None` changes only `apiVersion` when an object is converted; `Webhook` calls your webhook.",
    help="Set `spec.conversion.strategy` to `None` or `Webhook`",
    bad="conversion: {strategy: Hook}",
    good=GOOD,
    source=_SOURCE,
)
CONFIG = _Rule(
    "conversion-webhook-config",
    "Webhook config missing, incomplete, or set without `strategy: Webhook`",
    observed=("webhook-of-a-service",),
    follows=(Link(STRATEGY, ANYWHERE),),
    why="Without a webhook that it can call, the API server cannot convert objects between versions.",
    help="Set either `service` or `url` in `webhook.clientConfig`, and use `webhook` only with `strategy: Webhook`",
    bad="conversion: {strategy: Webhook, webhook: {conversionReviewVersions: [v1]}}",
    good=GOOD,
    source=_SOURCE,
)
REVIEW_VERSIONS = _Rule(
    "conversion-review-versions",
    "Invalid or unsupported `conversionReviewVersions`",
    observed=("conversion-review-versions",),
    follows=(Link(STRATEGY, ANYWHERE),),
    why="The API server sends the first version in the list that it supports, `v1` or `v1beta1`. Without one it cannot "
    "call the webhook.",
    help="Set `conversionReviewVersions: [v1]` in `spec.conversion.webhook`",
    bad=webhook_conversion(versions="[v2]"),
    good=GOOD,
    source="apiextensions/validation validateConversionReviewVersions",
)
URL = _Rule(
    "conversion-webhook-url",
    "Webhook URL is not of the form `https://host[/path]`",
    observed=("webhook-that-does-not-answer",),
    headline={INVALID: "{of} {subject}: {value}", REQUIRED: "{of} is not a valid URL"},
    why="The API server sends whole objects to this URL. It requires TLS, and rejects user names, queries and fragments.",
    help="Write the URL as `https://host/path`, without user, query or fragment",
    bad=webhook_conversion("{url: 'http://convert.example.com/'}"),
    good=webhook_conversion("{url: 'https://convert.example.com/'}"),
    source=f"{_WEBHOOK_SOURCE} ValidateWebhookURL",
)
SERVICE = _Rule(
    "conversion-webhook-service",
    "Incomplete or invalid webhook service",
    observed=("webhook-of-a-service",),
    headline={INVALID: "{of} {subject}: {value}"},
    headline_names="place",
    why="The API server calls `https://<name>.<namespace>.svc:<port><path>`, so each part must be valid.",
    help="Specify `namespace` and `name` of the Service, a `port` from 1 to 65535 (443 if it is not set), and a `path` "
    "that starts with `/`",
    bad=webhook_conversion("{service: {namespace: default, name: convert, port: 0}}"),
    good=GOOD,
    source=f"{_WEBHOOK_SOURCE} ValidateWebhookService",
)
CA_BUNDLE = _Rule(
    "conversion-webhook-ca-bundle",
    "Webhook CA bundle contains no valid certificate",
    observed=("ca-bundle-without-a-certificate",),
    in_each_run=False,
    why="The API server could not verify the webhook, so every conversion would fail. Kubernetes 1.31 and later check "
    "the bundle when an established CRD is updated.",
    help="Set `caBundle` to base64-encoded PEM certificates, or remove it and let cert-manager's CA injector set it",
    source=f"{_WEBHOOK_SOURCE} ValidateCABundle",
)
PRESERVE = _Rule(
    "conversion-with-preserve-unknown-fields",
    "Webhook conversion with `spec.preserveUnknownFields: true`",
    claims_nothing=True,
    why="Webhook conversion requires that objects are pruned, and `preserveUnknownFields: true` disables pruning.",
    help="Remove `spec.preserveUnknownFields: true`",
    bad=f"preserveUnknownFields: true\n{GOOD}",
    good=GOOD,
    source="apiextensions/validation validateCustomResourceDefinitionSpec",
)


def validate(
    spec: CustomResourceDefinitionSpec, path: Path, options: ValidationOptions
) -> Iterator[FieldError]:
    """Yield what is wrong with how versions are converted; ``path`` is the spec's."""
    conversion = spec.conversion
    if conversion is None:
        return
    conversion_path = path.child("conversion")
    if conversion.strategy != "None" and spec.preserve_unknown_fields is not False:
        detail = "must be None if spec.preserveUnknownFields is true"
        value = Typed(conversion.strategy, "apiextensions.ConversionStrategyType")
        yield invalid(
            PRESERVE.id,
            conversion_path.child("strategy"),
            value,
            detail,
        )
    if not conversion.strategy:
        yield required(STRATEGY.id, conversion_path.child("strategy"), "")
    elif conversion.strategy not in STRATEGIES:
        yield not_supported(
            STRATEGY.id,
            conversion_path.child("strategy"),
            conversion.strategy,
            STRATEGIES,
        )
    if conversion.strategy == "Webhook":
        yield from _with_webhook(conversion, conversion_path, options)
        return
    detail = "should not be set when strategy is not set to Webhook"
    help_ = "Set `strategy: Webhook` in `spec.conversion`, or remove `webhook` there"
    reason = Reason(Code.NO_WEBHOOK_STRATEGY)
    if conversion.webhook_client_config is not None:
        yield forbidden(
            CONFIG.id,
            conversion_path.child("webhookClientConfig"),
            detail,
            help=help_,
            reason=reason,
        )
    if conversion.conversion_review_versions:
        yield forbidden(
            CONFIG.id,
            conversion_path.child("conversionReviewVersions"),
            detail,
            help=help_,
            reason=reason,
        )


def _with_webhook(
    conversion: CustomResourceConversion, path: Path, options: ValidationOptions
) -> Iterator[FieldError]:
    config_path = path.child("webhookClientConfig")
    config = conversion.webhook_client_config
    if config is None:
        yield required(CONFIG.id, config_path, "required when strategy is set to Webhook")
    else:
        yield from _client_config(config, config_path)
        if config.ca_bundle and not options.allow_invalid_ca_bundle:
            yield from ca_bundle(config.ca_bundle, config_path.child("caBundle"))
    versions = conversion.conversion_review_versions
    require_recognized = options.require_recognized_conversion_review_version
    yield from _review_versions(
        versions, path.child("conversionReviewVersions"), require_recognized=require_recognized
    )


def _client_config(config: WebhookClientConfig, path: Path) -> Iterator[FieldError]:
    if (config.url is None) == (config.service is None):
        yield required(CONFIG.id, path, "exactly one of url or service is required")
    elif config.url is not None:
        yield from _url(config.url, path.child("url"))
    elif config.service is not None:
        yield from _service(config.service, path.child("service"))


def _url(text: str, path: Path) -> Iterator[FieldError]:
    from crdlint.golang.addresses import URLError, parse

    try:
        url = parse(text)
    except URLError as error:
        yield required(URL.id, path, f"url must be a valid URL: {error}{_FORM}")
        return
    for is_wrong, value, detail, subject in (
        (
            url.scheme != "https",
            url.scheme,
            f"'https' is the only allowed URL scheme{_FORM}",
            "must begin with `https://`",
        ),
        (not url.host, url.host, f"host must be specified{_FORM}", "names no host"),
        (
            url.user is not None,
            url.user,
            "user information is not permitted in the URL",
            "contains a user",
        ),
        (
            url.fragment,
            url.fragment,
            "fragments are not permitted in the URL",
            "contains a fragment",
        ),
        (
            url.raw_query,
            url.raw_query,
            "query parameters are not permitted in the URL",
            "contains a query",
        ),
    ):
        if is_wrong:
            yield invalid(URL.id, path, value, detail, subject=subject)


def _service(service: ServiceReference, path: Path) -> Iterator[FieldError]:
    # Upstream's caller passes name and namespace in the wrong order, so each is reported as the other.
    for reported, missing, value in (
        ("name", "namespace", service.namespace),
        ("namespace", "name", service.name),
    ):
        if not value:
            help_ = f"Add `{missing}` to the service: the API server reports a missing `{missing}` as `{reported}`"
            wording = Wording.by_version(f"service {reported} is required", (34, ""))
            yield required(
                SERVICE.id,
                path.child(reported),
                wording,
                at=path.child(missing),
                help=help_,
            )
    if not 1 <= service.port <= 65535:
        detail = "port is not valid: must be between 1 and 65535, inclusive"
        yield invalid(
            SERVICE.id,
            path.child("port"),
            service.port,
            detail,
            subject="is not between 1 and 65535",
        )
    if service.path and service.path != "/":
        yield from _service_path(service.path, path.child("path"))


_EMPTY_PART: Final = "has an empty part"


def _service_path(text: str, path: Path) -> Iterator[FieldError]:
    if text == "//":
        yield invalid(
            SERVICE.id,
            path,
            text,
            "segment[0] may not be empty",
            subject=_EMPTY_PART,
        )
        return
    if not text.startswith("/"):
        yield invalid(
            SERVICE.id,
            path,
            text,
            "must start with a '/'",
            subject="does not begin with `/`",
        )
    # Upstream takes off the first byte whether or not it is a slash.
    rest = text.encode("utf-8", "surrogatepass")[1:].removesuffix(b"/").decode("utf-8", "replace")
    for i, step in enumerate(rest.split("/")):
        if not step:
            yield invalid(
                SERVICE.id,
                path,
                text,
                f"segment[{i}] may not be empty",
                subject=_EMPTY_PART,
            )
        else:
            for error in is_dns1123_subdomain(step):
                yield invalid(
                    SERVICE.id,
                    path,
                    text,
                    f"segment[{i}]: {error}",
                    subject="has a part that is no DNS name",
                )


def ca_bundle(bundle: bytes, path: Path) -> Iterator[FieldError]:
    """Yield what is wrong with a CA bundle."""
    from crdlint.golang import encodings

    error = encodings.pool_error(bundle)
    if error is not None:
        yield invalid(CA_BUNDLE.id, path, bundle, error)


def _review_versions(
    versions: SequenceOf[str], path: Path, *, require_recognized: bool
) -> Iterator[FieldError]:
    if not versions:
        yield required(REVIEW_VERSIONS.id, path, "")
        return
    seen: set[str] = set()
    for i, version in enumerate(versions):
        if version in seen:
            detail = "duplicate version"
            yield invalid(
                REVIEW_VERSIONS.id,
                path.index(i),
                version,
                detail,
                reason=Reason(Code.NOT_UNIQUE),
            )
            continue
        seen.add(version)
        for error in is_dns1035_label(version):
            yield invalid(REVIEW_VERSIONS.id, path.index(i), version, error)
    if require_recognized and seen.isdisjoint(REVIEWED):
        detail = f"must include at least one of {', '.join(REVIEWED)}"
        yield invalid(
            REVIEW_VERSIONS.id,
            path,
            Typed(versions, "[]string"),
            detail,
        )
