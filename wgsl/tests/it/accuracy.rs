//! Elementary functions against WGSL's table of accuracy (section 15.7.4), with doubles as the exact values.

use crate::run::map_floats;

/// The unit in the last place of a float that is next to a number.
fn unit(exact: f64) -> f64 {
    let exponent = exact.abs().max(f64::from(f32::MIN_POSITIVE)).log2().floor();
    2f64.powf(exponent - 23.0)
}

/// Numbers of all sizes in a range, and the ends.
fn samples(low: f32, high: f32) -> Vec<f32> {
    let count = 4096;
    let mut all: Vec<f32> = (0..=count)
        .map(|n| (f64::from(low) + (f64::from(high) - f64::from(low)) * f64::from(n) / f64::from(count)) as f32)
        .collect();
    if low <= 0.0 {
        all.extend((0..30).map(|n| high * 2f32.powi(-n)).chain((0..30).map(|n| low * 2f32.powi(-n))));
    } else {
        let steps = (high / low).log2();
        all.extend(
            (0..=count).map(|n| low * (steps * n as f32 / count as f32).exp2()).filter(|x| (low..=high).contains(x)),
        );
    }
    all
}

fn check(expression: &str, xs: &[f32], exact: impl Fn(f64) -> f64, bound: impl Fn(f64, f64) -> f64) {
    for (&x, found) in xs.iter().zip(map_floats(expression, xs)) {
        let exact = exact(f64::from(x));
        let (error, bound) = ((f64::from(found) - exact).abs(), bound(f64::from(x), exact));
        // Results that are too small for normal floats may be flushed.
        let is_tiny = exact.abs() < f64::from(f32::MIN_POSITIVE);
        assert!(
            error <= bound || (is_tiny && found == 0.0),
            "{expression} of {x:e}: {found:e}, not {exact:e}: {} of {}",
            error / unit(exact),
            bound / unit(exact)
        );
    }
}

fn units(count: f64) -> impl Fn(f64, f64) -> f64 {
    move |_, exact| count * unit(exact)
}

#[test]
fn exponentials() {
    let xs = samples(-80.0, 80.0);
    check("exp2(x)", &xs, f64::exp2, |x, exact| (3.0 + 2.0 * x.abs()) * unit(exact));
    check("exp2(x)", &samples(-1.5, 1.5), f64::exp2, |x, exact| (3.0 + 2.0 * x.abs()) * unit(exact));
    check("exp(x)", &xs, f64::exp, |x, exact| (3.0 + 2.0 * x.abs()) * unit(exact));
    check("exp(x)", &samples(-1.5, 1.5), f64::exp, |x, exact| (3.0 + 2.0 * x.abs()) * unit(exact));
}

#[test]
fn logarithms() {
    let bound = |x: f64, exact: f64| if (0.5..=2.0).contains(&x) { 2f64.powi(-21) } else { 3.0 * unit(exact) };
    for xs in [samples(1e-30, 1e30), samples(0.25, 4.0), samples(0.5, 2.0)] {
        check("log2(x)", &xs, f64::log2, bound);
        check("log(x)", &xs, f64::ln, bound);
    }
}

#[test]
fn powers() {
    // Inherited from exp2(y * log2(x)): with the bounds of both.
    let bound = |y: f64| {
        move |x: f64, exact: f64| {
            let product = y * x.log2();
            let log_error = if (0.5..=2.0).contains(&x) { 2f64.powi(-21) } else { 3.0 * unit(x.log2()) };
            let in_exponent = y.abs() * log_error + unit(product) / 2.0;
            exact * (in_exponent * std::f64::consts::LN_2) + (3.0 + 2.0 * product.abs()) * unit(exact)
        }
    };
    check("pow(x, 2.5)", &samples(1e-5, 1e5), |x| x.powf(2.5), bound(2.5));
    check("pow(x, -0.75)", &samples(1e-5, 1e5), |x| x.powf(-0.75), bound(-0.75));
    assert_eq!(map_floats("pow(x, 3.0)", &[0.0, 1.0, 2.0]), [0.0, 1.0, 8.0]);
}

#[test]
fn trigonometric_functions() {
    let pi = std::f32::consts::PI;
    let xs = samples(-pi, pi);
    check("sin(x)", &xs, f64::sin, |_, _| 2f64.powi(-11));
    check("cos(x)", &xs, f64::cos, |_, _| 2f64.powi(-11));
    check("tan(x)", &samples(-1.5, 1.5), f64::tan, |x, exact| {
        (2f64.powi(-11) * (1.0 + exact.abs())) / (x.cos().abs() - 2f64.powi(-11)) + 2.5 * unit(exact)
    });
}

#[test]
fn angles() {
    let wide: Vec<f32> = [samples(-1e20, 1e20), samples(-3.0, 3.0), samples(1e-30, 1e30)].concat();
    check("atan(x)", &wide, f64::atan, units(4096.0));
    // Much better in fact.
    check("atan(x)", &wide, f64::atan, units(4.0));
    for y in [1.0f64, -2.0, 1e-10, 3e10] {
        let expression = format!("atan2({y:?}f, x)");
        check(&expression, &wide, move |x| f64::from(y as f32).atan2(x), units(4096.0));
    }
    let xs = samples(-1.0, 1.0);
    let bound = |_: f64, exact: f64| f64::max(6.77e-5, 4096.0 * unit(exact));
    check("asin(x)", &xs, f64::asin, bound);
    check("acos(x)", &xs, f64::acos, bound);
    assert!(map_floats("asin(x) + acos(x)", &[1.5, -1.5]).iter().all(|value| value.is_nan()));
}

#[test]
fn hyperbolic_functions() {
    // (exp(x) - exp(-x)) / 2, with the bounds of the exponentials.
    let exponentials = |x: f64| (3.0 + 2.0 * x.abs()) * (unit(x.exp()) + unit((-x).exp())) / 2.0;
    let xs = [samples(-20.0, 20.0), samples(-1.0, 1.0)].concat();
    check("sinh(x)", &xs, f64::sinh, move |x, exact| exponentials(x) + 2.0 * unit(exact));
    check("cosh(x)", &xs, f64::cosh, move |x, exact| exponentials(x) + 2.0 * unit(exact));
    check("tanh(x)", &xs, f64::tanh, |_, _| 1e-5);
    assert_eq!(map_floats("tanh(x)", &[100.0, -100.0]), [1.0, -1.0]);
    // Logarithms of a sum that is off by a few units.
    let bound = |argument: fn(f64) -> f64| {
        move |x: f64, exact: f64| {
            let argument = argument(x);
            let log = if (0.5..=2.0).contains(&argument) { 2f64.powi(-21) } else { 3.0 * unit(exact) };
            log + 8.0 * unit(argument) / argument
        }
    };
    check("asinh(x)", &xs, f64::asinh, bound(|x| x.abs() + (x * x + 1.0).sqrt()));
    check("acosh(x)", &samples(1.0, 1e6), f64::acosh, |x, exact| {
        bound(|x| x + (x * x - 1.0).max(0.0).sqrt())(x, exact) + 1e-6
    });
    check("atanh(x)", &samples(-0.99, 0.99), f64::atanh, bound(|x| ((1.0 + x) / (1.0 - x)).max((1.0 - x) / (1.0 + x))));
}

#[test]
fn roots_and_quotients() {
    let xs = samples(1e-30, 1e30);
    check("sqrt(x)", &xs, f64::sqrt, units(2.0));
    check("inverseSqrt(x)", &xs, |x| 1.0 / x.sqrt(), units(2.0));
    check("1.0 / x", &xs, |x| 1.0 / x, units(2.5));
}
