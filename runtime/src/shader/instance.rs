//! Class instances, to which a shader's interface variables are bound, and the errors of binding them.

use std::fmt;

use crate::bindings::first_of;

/// A class instance that an interface variable can be bound to.
///
/// ```
/// use brolga_runtime::{ClassInstance, CompileOptions};
///
/// let options = CompileOptions::default()
///     .instance("light", "sun")
///     .instance("lights[1]", ClassInstance::of_class("Spot").constants(0, 6));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum ClassInstance {
    /// An instance that the shader declares, `sun` or `suns[2]`. The name of a class without data also works: its
    /// instances are all alike, and compilers keep no names for them.
    Named(String),
    /// An instance of a class whose data are at a location given by the caller.
    Placed(PlacedInstance),
}

impl ClassInstance {
    /// An instance of a class, whose data's location is to be set.
    pub fn of_class(class: impl Into<String>) -> PlacedInstance {
        PlacedInstance { class: class.into(), constants: None, texture: None, sampler: None }
    }
}

impl From<&str> for ClassInstance {
    fn from(name: &str) -> Self {
        Self::Named(name.to_owned())
    }
}

impl From<String> for ClassInstance {
    fn from(name: String) -> Self {
        Self::Named(name)
    }
}

impl From<PlacedInstance> for ClassInstance {
    fn from(placed: PlacedInstance) -> Self {
        Self::Placed(placed)
    }
}

impl fmt::Display for ClassInstance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Named(name) => f.write_str(name),
            Self::Placed(placed) => write!(f, "instance of {}", placed.class),
        }
    }
}

/// An instance of a class and the location of its data. Exactly the kinds of data that its class has must be given.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct PlacedInstance {
    pub(super) class: String,
    pub(super) constants: Option<(u32, u32)>,
    pub(super) texture: Option<u32>,
    pub(super) sampler: Option<u32>,
}

impl PlacedInstance {
    /// The constant buffer that holds its data, and the first of their vectors of 16 bytes.
    pub fn constants(mut self, buffer: u32, vector: u32) -> Self {
        self.constants = Some((buffer, vector));
        self
    }

    /// Its first texture or buffer, t#.
    pub fn texture(mut self, register: u32) -> Self {
        self.texture = Some(register);
        self
    }

    /// Its first sampler, s#.
    pub fn sampler(mut self, register: u32) -> Self {
        self.sampler = Some(register);
        self
    }
}

/// The instances chosen for the interface variables of a shader.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Instances(pub(super) Vec<(String, ClassInstance)>);

impl Instances {
    pub(super) fn add(&mut self, variable: String, instance: ClassInstance) {
        self.0.push((variable, instance));
    }
}

/// An interface variable for which nothing was chosen.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Unset {
    /// The variable, with an index if other elements of its array are set.
    pub variable: String,
    /// The interface, if the file has its name.
    pub interface: Option<String>,
    /// Candidates that it could be bound to: instances, and classes without data.
    pub fits: Vec<String>,
    /// Classes whose instances it could be bound to, given the location of their data.
    pub classes: Vec<String>,
}

impl fmt::Display for Unset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}`", self.variable)?;
        if let Some(interface) = &self.interface {
            write!(f, " of type {interface}")?;
        }
        match (self.fits.is_empty(), self.classes.is_empty()) {
            (false, _) => write!(f, ", which takes {}", few(&self.fits)),
            (true, false) => write!(f, ", which takes instances of {}", few(&self.classes)),
            (true, true) => f.write_str(", which takes nothing"),
        }
    }
}

/// An interface variable, or the choice for it, that does not fit the shader.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InstanceError {
    /// Interface variables for which nothing is chosen.
    #[error("no class instance is chosen for {}", list(unset))]
    Unset {
        /// The variables.
        unset: Vec<Unset>,
    },
    /// The shader has no interfaces at all.
    #[error("there is no interface variable `{variable}`: the shader uses no interfaces")]
    NoInterfaces {
        /// The variable.
        variable: String,
    },
    /// The shader has no interface variable of this name.
    #[error("there is no interface variable `{variable}`: the shader uses {}", few(known))]
    UnknownVariable {
        /// The variable.
        variable: String,
        /// Those that the shader uses.
        known: Vec<String>,
    },
    /// An element that the array of interface variables does not have.
    #[error("`{variable}` is outside the array, which has {count} elements")]
    Element {
        /// The variable with its index.
        variable: String,
        /// Elements of the array.
        count: u32,
    },
    /// The shader has no instance of this name.
    #[error("`{variable}` cannot be `{instance}`: there is no such class instance, it takes {}", few(takes))]
    UnknownInstance {
        /// The variable.
        variable: String,
        /// The instance.
        instance: String,
        /// Instances that fit the variable.
        takes: Vec<String>,
    },
    /// The name is that of a class with data.
    #[error("`{variable}` cannot be `{class}`: that is a class with data, {}", of_class(instances))]
    ClassNamed {
        /// The variable.
        variable: String,
        /// The class.
        class: String,
        /// Its instances.
        instances: Vec<String>,
    },
    /// The instance is an array, and the choice names no element, or one that does not exist.
    #[error("`{variable}` cannot be `{instance}`: that must be an element of an array of {count}, {name}[0] to [{}]", count - 1)]
    ArrayElement {
        /// The variable.
        variable: String,
        /// The chosen instance.
        instance: String,
        /// The name of the array.
        name: String,
        /// Elements of the array.
        count: u16,
    },
    /// The instance is of a class that the variable's interface does not have.
    #[error("`{variable}` cannot be `{instance}`: that is of class {class}, it takes {}", few(classes))]
    Class {
        /// The variable.
        variable: String,
        /// The instance.
        instance: String,
        /// The instance's class.
        class: String,
        /// The classes that fit the variable.
        classes: Vec<String>,
    },
    /// The shader has no class of this name.
    #[error("`{variable}` cannot be an instance of `{class}`: there is no such class, it takes {}", few(classes))]
    UnknownClass {
        /// The variable.
        variable: String,
        /// The class.
        class: String,
        /// The classes that fit the variable.
        classes: Vec<String>,
    },
    /// The location of an instance's data is missing, or given for data that its class lacks.
    #[error("`{variable}`: {class} has {}", location_text(*has, what))]
    Place {
        /// The variable.
        variable: String,
        /// The class.
        class: String,
        /// `true` if the class has such data.
        has: bool,
        /// Kind of the data.
        what: &'static str,
    },
    /// A register or vector that Direct3D does not have.
    #[error("`{variable}`: {what} {number} is over the largest, {most}")]
    Number {
        /// The variable.
        variable: String,
        /// Kind of the number.
        what: &'static str,
        /// The number.
        number: u32,
        /// The largest.
        most: u32,
    },
    /// The file does not state which classes fit, or contradicts itself.
    #[error("`{variable}`: the file has no class linkage (IFCE) that says which classes fit")]
    NoLinkage {
        /// The variable.
        variable: String,
    },
}

impl InstanceError {
    /// The variable that the error is about, if something was chosen for it.
    pub fn variable(&self) -> Option<&str> {
        match self {
            Self::Unset { .. } => None,
            Self::NoInterfaces { variable }
            | Self::UnknownVariable { variable, .. }
            | Self::Element { variable, .. }
            | Self::UnknownInstance { variable, .. }
            | Self::ClassNamed { variable, .. }
            | Self::ArrayElement { variable, .. }
            | Self::Class { variable, .. }
            | Self::UnknownClass { variable, .. }
            | Self::Place { variable, .. }
            | Self::Number { variable, .. }
            | Self::NoLinkage { variable } => Some(variable),
        }
    }
}

/// The first of a list.
fn few(names: &[String]) -> String {
    first_of(names, ", ")
}

fn list(unset: &[Unset]) -> String {
    first_of(&unset.iter().map(ToString::to_string).collect::<Vec<_>>(), "; ")
}

fn of_class(instances: &[String]) -> String {
    match instances.is_empty() {
        true => "of which an instance must be placed".to_owned(),
        false => format!("its instances are {}", few(instances)),
    }
}

fn location_text(has: bool, what: &str) -> String {
    match has {
        true => format!("{what}, whose place must be given"),
        false => format!("no {what}, whose place could be given"),
    }
}
